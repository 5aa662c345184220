package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// figures matches numbers, which change with the models of time and of the compiler. Loose samples are compared without them.
var figures = regexp.MustCompile(`\d[\d,.]*`)

// Outputs in documents are what the commands print, for each line of the samples below; "…" matches anything.
func TestDocumentsShowWhatIsPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs what the documents show")
	}
	pages := documents(t)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	folder := exampleFolder(t)
	copyOf := func(path string) {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(path)), text, 0o644))
	}
	for _, file := range []string{"cli/testdata/blur.cu", "cli/testdata/add.ptx", "cli/testdata/add-wrong.yaml",
		"isa/debuginfo/testdata/call_example.ptx", "sim/testdata/calls.ptx"} {
		copyOf(file)
	}
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	write("typo/mine.yaml", "# mine.yaml\nextends: k40\nl2:\n  slces: 6\n")
	write("sets/mine.yaml", "extends: k40\nl2:\n  bytes: 1000K\n  slices: 6\ndram:\n  channels: 6\n")
	t.Chdir(folder)
	for _, test := range []struct {
		page, begins string // the sample's first line
		command      string
		loose        bool // the figures may differ
		lines        int  // of the sample to compare; 0 is all
	}{
		{"quick-start.md", "note: made up: block: 256 threads", "run scale.cu", false, 0},
		{"quick-start.md", "keplersim: launch of blur", "run blur.cu", true, 0},
		{"quick-start.md", "FAILED: buffer z", "run add-wrong.yaml", false, 0},
		{"configs.md", "mine.yaml:4:3: ", "configs show typo/mine.yaml", false, 1},
		{"occupancy.md", "One SMX of gk110", "occupancy --registers 63 --block 256 --picture always", false, 0},
		{"occupancy.md", "  What would let more warps in:", "occupancy workloads/sha256/sha256.ptx", true, 0},
		{"report.md", "  function       how ", "run call_example.ptx --grid 1 --block 1 --format full", true, 0},
		{"calls-and-system-calls.md", "the call stack of 1024 bytes", "run calls.ptx --kernel overflow --grid 1 --block 1", true, 0},
	} {
		t.Run(test.command, func(t *testing.T) {
			if strings.Contains(test.command, ".cu") {
				need.Clang(t)
			}
			_, rest, found := strings.Cut(pages[test.page], "```\n"+test.begins)
			require.True(t, found, "%s shows %q", test.page, test.begins)
			shown, _, _ := strings.Cut(test.begins+rest, "\n```")
			_, out, errOut := keplersim(t, strings.Fields(test.command)...)
			printed := out + errOut
			if test.loose {
				shown, printed = figures.ReplaceAllString(shown, "N"), figures.ReplaceAllString(printed, "N")
			}
			compared := 0
			for line := range strings.Lines(shown) {
				line = strings.TrimSuffix(line, "\n")
				if compared++; strings.TrimSpace(line) != "…" && (test.lines == 0 || compared <= test.lines) {
					assert.Contains(t, printed, line, "%s: %s", test.page, test.command)
				}
			}
		})
	}
	// Of two mistakes in a configuration, the one in the document's words is found first.
	_, _, errOut := keplersim(t, "configs", "show", "sets/mine.yaml")
	assert.Contains(
		t, errOut, "mine.yaml:3:10: l2.bytes: 1024000 are not whole sets: not a multiple of 6 slices of 16 ways of 128 bytes, 12288",
	)
	assert.Contains(t, pages["configs.md"], "mine.yaml:3:10: l2.bytes: 1024000 are not whole sets: not a multiple of 6 slices of 16 "+
		"ways of 128 bytes, 12288")
}

// printedSample matches a sample in a document. A comment at its beginning names the command, the number of lines and the first line.
var printedSample = regexp.MustCompile(`(<!-- (keplersim .*): (\d+) lines? from "(.+)" -->\n\n?` + "```" + `\n)((?s:.*?))(` + "```" + `\n)`)

// Samples with such a comment are exactly what the command prints; KEPLERSIM_UPDATE=1 writes them anew.
func TestDocumentsSamplesAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("runs what the documents show")
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	pages := documents(t)
	t.Chdir(exampleFolder(t))
	printed, seen := map[string]string{}, 0
	for name, page := range pages {
		updated := printedSample.ReplaceAllStringFunc(page, func(sample string) string {
			m := printedSample.FindStringSubmatch(sample)
			command := m[2]
			seen++
			if printed[command] == "" {
				code, out, errOut := keplersim(t, strings.Fields(command)[1:]...)
				require.Equal(t, exitRan, code, "%s: %s", command, errOut)
				printed[command] = out
			}
			_, rest, found := strings.Cut("\n"+printed[command], "\n"+m[4])
			require.True(t, found, "%s: %s prints %q", name, command, m[4])
			count, err := strconv.Atoi(m[3])
			require.NoError(t, err)
			lines := strings.SplitAfter(m[4]+rest, "\n")
			return m[1] + strings.Join(lines[:min(count, len(lines))], "") + m[6]
		})
		if os.Getenv("KEPLERSIM_UPDATE") != "" && updated != page {
			file := filepath.Join(root, "docs", name)
			if name == "README.md" {
				file = filepath.Join(root, name)
			}
			require.NoError(t, os.WriteFile(file, []byte(updated), 0o644))
			page = updated
		}
		assert.Equal(t, updated, page, "%s: KEPLERSIM_UPDATE=1 go test ./cli -run Samples writes it anew", name)
	}
	assert.GreaterOrEqual(t, seen, 5)
}

// The workload files in the documents run, and meet their expectations.
func TestDocumentsWorkloadFilesHold(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the documents' kernels")
	}
	need.Clang(t)
	pages := documents(t)
	folder := exampleFolder(t)
	for name, page := range map[string]string{"scale.yaml": "quick-start.md", "convolve.yaml": "workload-file.md"} {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(sample(t, pages[page], "# "+name)), 0o644))
		code, out, errOut := keplersim(t, "run", file, "--functional")
		assert.Equal(t, exitRan, code, "%s: %s", page, errOut)
		assert.Contains(t, out, "as expected: ", page)
	}
}

// The pictures in docs/occupancy.md are what the named commands draw; KEPLERSIM_UPDATE=1 draws them anew.
func TestDocumentsShowWhatIsDrawn(t *testing.T) {
	page := documents(t)["occupancy.md"]
	folder := t.TempDir()
	for name, command := range map[string]string{
		"curves.svg": "keplersim occupancy --registers 63 --block 256 --config gk104,gk110,gk210 --plot curves.svg",
		"block.svg":  "keplersim occupancy --registers 37 --sweep block=32..1024:32 --config gk104,gk210 --plot block.svg",
	} {
		assert.Contains(t, page, command)
		assert.Contains(t, page, "(occupancy/"+name+")")
		drawn, shown := filepath.Join(folder, name), filepath.Join("..", "docs", "occupancy", name)
		if os.Getenv("KEPLERSIM_UPDATE") != "" {
			drawn = shown
		}
		code, _, errOut := keplersim(t, strings.Fields(strings.Replace(command, "--plot "+name, "--plot "+drawn, 1))[1:]...)
		require.Equal(t, exitRan, code, errOut)
		want, err := os.ReadFile(shown)
		require.NoError(t, err)
		got, err := os.ReadFile(drawn)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s: %s", shown, command)
	}
}

// The picture of a roofline in docs/report.md has the texts that its command draws; KEPLERSIM_UPDATE=1 draws it anew.
func TestDocumentsShowTheRoofline(t *testing.T) {
	const command = "keplersim plot roofline before.json -o roofline.svg"
	page := documents(t)["report.md"]
	assert.Contains(t, page, command)
	assert.Contains(t, page, "(report/roofline.svg)")
	shown := filepath.Join("..", "docs", "report", "roofline.svg")
	drawn := filepath.Join(t.TempDir(), "roofline.svg")
	if os.Getenv("KEPLERSIM_UPDATE") != "" {
		drawn = shown
	}
	saved := filepath.Join(t.TempDir(), "sgemm.json")
	code, _, errOut := keplersim(t, "run", "../workloads/sgemm-tiled/sgemm-tiled.ptx", "--format", "json", "-o", saved)
	require.Equal(t, exitRan, code, errOut)
	code, _, errOut = keplersim(t, "plot", "roofline", saved, "-o", drawn)
	require.Equal(t, exitRan, code, errOut)
	texts := func(path string) (list []string) {
		svg, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllStringSubmatch(string(svg), -1) {
			list = append(list, figures.ReplaceAllString(m[1], "N"))
		}
		return list
	}
	assert.Equal(t, texts(shown), texts(drawn))
}
