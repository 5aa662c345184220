package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A made-up launch that is saved as a workload file runs the same, wherever it is saved.
func TestSavedWorkloadRunsAlike(t *testing.T) {
	folder := t.TempDir()
	sub := filepath.Join(folder, "sub")
	require.NoError(t, os.Mkdir(sub, 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	write("k.ptx", `.version 4.2
.target sm_35
.address_size 64
.const .align 4 .b8 taps[8];
.extern .func (.param .b32 r) twice (.param .b32 x);
.visible .entry k(.param .u64 out, .param .u64 in)
{
	.reg .b32 %r<6>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	ld.param.u64 %d2, [in];
	ld.const.u32 %r2, [taps+4];
	ld.global.u32 %r3, [%d2];
	{
	.param .b32 x; .param .b32 r;
	st.param.b32 [x], %r3;
	call (r), twice, (x);
	ld.param.b32 %r3, [r];
	}
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%d1], %r2;
	ret;
}
`)
	write("lib.ptx", ".version 4.2\n.target sm_35\n.address_size 64\n.visible .func (.param .b32 r) twice (.param .b32 x)\n{\n"+
		"\t.reg .b32 %a;\n\tld.param.b32 %a, [x];\n\tadd.u32 %a, %a, %a;\n\tst.param.b32 [r], %a;\n\tret;\n}\n")
	write("in.raw", "\x05\x00\x00\x00")
	t.Chdir(folder)
	saved, dump, again := filepath.Join(sub, "saved.yaml"), filepath.Join(folder, "1.bin"), filepath.Join(folder, "2.bin")
	code, _, errOut := keplersim(t, "run", "k.ptx", "--config", "k20", "--link", "lib.ptx", "--grid", "1", "--block", "32", "--arg",
		"out=u32[1]", "--arg", "u32[1]:file(in.raw)",
		"--symbol", "taps=u32[2]:values(1,30)", "--save-workload", saved, "--dump", "out="+dump)
	require.Equal(t, exitRan, code, errOut)
	t.Chdir(sub)
	code, out, errOut := keplersim(t, "run", "saved.yaml", "--dump", "out="+again, "--dump", "taps=taps.bin")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "k on k20")
	for _, file := range []string{dump, again} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, []byte{40, 0, 0, 0}, data, file)
	}
	taps, err := os.ReadFile("taps.bin")
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0, 0, 0, 30, 0, 0, 0}, taps)
	code, _, errOut = keplersim(t, "run", "saved.yaml", "--save-workload", "twice.yaml")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "the launch comes from the workload file saved.yaml")
	code, _, errOut = keplersim(t, "run", "../k.ptx", "--link", "../lib.ptx", "--save-workload", "saved.txt")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "a workload file's name ends in .yaml, .yml, .json")
}
