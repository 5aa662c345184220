package sass

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fermiListing names a file of what cuobjdump of CUDA 4 prints for sm_20 (the .isa files of seanbaxter/mgpu_old), which is not ours to
// keep. Its words are those of sm_30, and it prints some things as later versions do not.
const fermiListing = "KEPLERSIM_SM20_LISTING"

// fermiOnly are operations that sm_30 does not have, or that the table leaves out.
var fermiOnly = regexp.MustCompile(`^(LDU|VADD|VSHL|VSHR|VMNMX|BRX)\b`)

var (
	listed      = regexp.MustCompile(`/\*([0-9a-f]{4,})\*/\s+/\*0x([0-9a-f]{8})([0-9a-f]{8})\*/\s+(.*);`)
	guarded     = regexp.MustCompile(`^@\S+ `)
	hexadecimal = regexp.MustCompile(`-?0x[0-9a-f]+`)
	respelled   = strings.NewReplacer("c [", "c[", "] [", "][", "pt", "PT", "SR_Tid_", "SR_TID.", "SR_CTAid_", "SR_CTAID.", "+0x0]", "]",
		".W", "", " CC.T", "", "RZ+", "", "[RZ]", "[0x0]", "BPT.DRAIN 0x0", "BPT.DRAIN", "-R", "R", "-c [", "c[", "-c[", "c[",
		"ISUB", "IADD", ", 0xbf800,", ", -1,")
)

// plainText removes the differences between two versions of cuobjdump. It writes numbers by their lower 20 bits without a sign, sorts
// combined predicates, and drops the signs of sources of integer operations and products.
func plainText(text string) string {
	text = hexadecimal.ReplaceAllStringFunc(respelled.Replace(text), func(number string) string {
		v, _ := strconv.ParseInt(number, 0, 64)
		return fmt.Sprintf("0x%x", min(v&0xfffff, -v&0xfffff))
	})
	switch name := guarded.ReplaceAllString(text, ""); {
	case strings.HasPrefix(name, "BAR"):
		return "BAR"
	case strings.HasPrefix(name, "TLD"):
		return strings.Replace(text, "RZ, ", "", 1)
	case strings.HasPrefix(name, "PSET"):
		words := strings.Split(text, ", ")
		slices.Sort(words[1:])
		return strings.Join(words, ", ")
	}
	return text
}

func TestFermiListing(t *testing.T) {
	path := os.Getenv(fermiListing)
	if path == "" {
		t.Skip(fermiListing + " names no file")
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	texts, bits, left := 0, 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		m := listed.FindStringSubmatch(scanner.Text())
		if m == nil {
			continue
		}
		if fermiOnly.MatchString(guarded.ReplaceAllString(m[4], "")) {
			left++
			continue
		}
		at, _ := strconv.ParseUint(m[1], 16, 64)
		word, _ := strconv.ParseUint(m[3]+m[2], 16, 64)
		i, err := SM30.Decode(word)
		if !assert.NoError(t, err, m[4]) || !assert.Equal(t, plainText(m[4]), plainText(i.Text(at)), "0x%016x", word) {
			continue
		}
		assert.Zero(t, i.UnshownBits(), "0x%016x %s", word, m[4])
		texts++
		again, err := SM30.Encode(i.Text(at), at)
		require.NoError(t, err, i.Text(at))
		if again&^SM30.unguarded == word&^SM30.unguarded {
			bits++
		}
	}
	t.Logf("%d words decode to their text, %d encode to their word; %d of operations that sm_30 does not have or the table leaves out",
		texts, bits, left)
}
