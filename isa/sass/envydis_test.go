package sass

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:embed testdata/envydis.txt
var recorded string

// furtherTexts names a file with more lines of the same kind.
const furtherTexts = "KEPLERSIM_ENVYDIS"

var (
	ourOperand = regexp.MustCompile(`(-?)([~!]?)(\|?)(c\[0x([0-9a-f]+)\]|\bRZ\b|\bPT\b|\bR(\d+)|\bP(\d)|0x[0-9a-f]+|` +
		`[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?)`)
	theirOperand = regexp.MustCompile(`\b(neg|not|abs)\b|\$r(\d+)[dq]?|\$p(\d)|\bc(\d+)\[|-?0x[0-9a-f]+`)
)

// number is the token for a 32-bit number. 0 and 1 have none: envydis also prints them for fields that we leave out.
func number(v uint64) []string {
	if v = v & math.MaxUint32; v > 1 {
		return []string{fmt.Sprintf("0x%x", v)}
	}
	return nil
}

// ours are the operands of our text in envydis's notation, sorted because its order differs.
func ours(text string, double bool) (tokens []string) {
	guard, body := "", text
	if strings.HasPrefix(text, "@") {
		guard, body, _ = strings.Cut(text[1:], " ")
	}
	_, body, _ = strings.Cut(body, " ")
	for _, m := range ourOperand.FindAllStringSubmatch(guard+" "+body, -1) {
		minus, not, bar, item := m[1] != "", m[2] != "", m[3] != "", m[4]
		negates := minus
		switch {
		case m[5] != "":
			bank, _ := strconv.ParseUint(m[5], 16, 8)
			tokens = append(tokens, fmt.Sprint("c", bank))
		case m[6] != "":
			tokens = append(tokens, "$r"+m[6])
		case m[7] != "":
			tokens = append(tokens, "$p"+m[7])
		case item == "RZ" || item == "PT":
		case strings.HasPrefix(item, "0x"):
			v, _ := strconv.ParseUint(item[2:], 16, 64)
			if negates = false; minus {
				v = -v
			}
			tokens = append(tokens, number(v)...)
		default:
			v, _ := strconv.ParseFloat(item, 64)
			if negates = false; minus {
				v = -v
			}
			bits := uint64(math.Float32bits(float32(v)))
			if double {
				bits = math.Float64bits(v) >> 32
			}
			tokens = append(tokens, number(bits)...)
		}
		for mark, set := range map[string]bool{"neg": negates, "not": not, "abs": bar} {
			if set {
				tokens = append(tokens, mark)
			}
		}
	}
	slices.Sort(tokens)
	return tokens
}

// theirs are the operands of envydis's text, and the words around them.
func theirs(text string, double bool) (tokens []string, name string) {
	for _, m := range theirOperand.FindAllStringSubmatch(text, -1) {
		switch {
		case m[2] == "255":
		case m[2] != "":
			tokens = append(tokens, "$r"+m[2])
		case m[4] != "":
			tokens = append(tokens, "c"+m[4])
		case strings.Contains(m[0], "0x"):
			digits, minus := strings.CutPrefix(m[0], "-")
			v, _ := strconv.ParseUint(digits[2:], 16, 64)
			if minus {
				v = -v
			}
			if double {
				v >>= 32
			}
			tokens = append(tokens, number(v)...)
		default:
			tokens = append(tokens, m[0])
		}
	}
	slices.Sort(tokens)
	words := strings.FieldsFunc(theirOperand.ReplaceAllString(text, " "), func(r rune) bool { return strings.ContainsRune(" []()+", r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "$") || w == "b32" || w == "C" || w == "B" // b32 is a part of some forms; C and B mark targets
	})
	for len(words) > 1 && (words[len(words)-1] == "and" || words[len(words)-1] == "or") {
		words = words[:len(words)-1] // the third predicate's, which our text always has
	}
	return tokens, strings.Join(words, " ")
}

// envydis finds the same operands in each word, and has one name for each of our operations.
func TestTextsOfEnvydis(t *testing.T) {
	lines := recorded
	if path := os.Getenv(furtherTexts); path != "" {
		more, err := os.ReadFile(path)
		require.NoError(t, err)
		lines += string(more)
	}
	names, count := map[string]string{}, 0
	for line := range strings.Lines(lines) {
		word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "#" {
			continue
		}
		bits, err := strconv.ParseUint(word, 16, 64)
		require.NoError(t, err)
		i, err := SM35.Decode(bits)
		require.NoError(t, err, text)
		wide := strings.HasPrefix(i.Name, "D")
		tokens, name := theirs(text, wide)
		assert.Equal(t, tokens, ours(i.Text(0), wide), "%s: %s; %s", word, i.Text(0), text)
		mnemonic, _, _ := strings.Cut(i.Text(0)[strings.Index(i.Text(0), i.Name[:min(len(i.Name), 2)]):], " ")
		if other, known := names[mnemonic]; known {
			assert.Equal(t, other, name, "%s", i.Text(0))
		}
		names[mnemonic] = name
		count++
	}
	t.Logf("%d words of %d operations", count, len(names))
}
