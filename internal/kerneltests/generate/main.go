// Command generate writes the kernels of testdata/kernels and their workload files from the tables in this folder.
//
//	go run ./internal/kerneltests/generate           write them, with the results in testdata/kernels/recorded.tsv
//
// A recorded result belongs to one PTX text: when a kernel's text changes, its old results are left out and it must be run on a GPU again.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa/oracle"
)

func main() {
	folder := flag.String("folder", "testdata/kernels", "where to write")
	flag.Parse()
	if err := generate(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate writes everything.
func generate(folder string) error {
	rows, err := allRows()
	if err != nil {
		return err
	}
	recorded, err := readRecorded(filepath.Join(folder, "recorded.tsv"))
	if err != nil {
		return err
	}
	if err := writeInputs(filepath.Join(folder, "inputs")); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, k := range pack(rows) {
		text := k.ptx()
		hash := sha256.Sum256([]byte(text))
		base := filepath.Join(folder, k.group, k.name)
		if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
			return err
		}
		if wanted[base] {
			return fmt.Errorf("two kernels are called %s", base)
		}
		wanted[base] = true
		if err := os.WriteFile(base+".ptx", []byte(text), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(base+".yaml", []byte(k.workload(recorded[hex.EncodeToString(hash[:])])), 0o644); err != nil {
			return err
		}
	}
	return removeOthers(folder, wanted)
}

// removeOthers deletes kernels that the tables no longer have.
func removeOthers(folder string, wanted map[string]bool) error {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.ptx"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if base := strings.TrimSuffix(f, ".ptx"); !wanted[base] {
			for _, extension := range []string{".ptx", ".yaml"} {
				if err := os.Remove(base + extension); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readRecorded reads the recorded results: PTX sha256, buffer, its sha256.
func readRecorded(path string) (map[string]map[string]string, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: %q is not three words", path, line)
		}
		if all[f[0]] == nil {
			all[f[0]] = map[string]string{}
		}
		all[f[0]][f[1]] = f[2]
	}
	return all, nil
}

// allRows are the tables' rows, each name once.
func allRows() ([]row, error) {
	values, err := recordedForms()
	if err != nil {
		return nil, err
	}
	met, err := metForms()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, v := range values {
		have[v.name] = true
	}
	for _, form := range append(met, moreForms...) {
		if v, ok := derived(form); ok && !have[form] {
			have[form] = true
			values = append(values, v)
		}
	}
	var rows []row
	taken := map[string]bool{}
	add := func(r row) error {
		if key := r.group + " " + identifier(r.name); taken[key] {
			return fmt.Errorf("two rows of group %s are called %s", r.group, r.name)
		} else {
			taken[key] = true
		}
		rows = append(rows, r)
		return nil
	}
	for _, v := range append(values, extraValues...) {
		if err := add(v.row()); err != nil {
			return nil, err
		}
	}
	more, err := memoryRows(met)
	if err != nil {
		return nil, err
	}
	written, err := writtenRows()
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Concat(more, atomicRows(), written) {
		if err := add(r); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// metForms are the instruction forms that real programs hold.
func metForms() ([]string, error) {
	text, err := os.ReadFile("isa/ptx/testdata/opcodes.tsv")
	if err != nil {
		return nil, fmt.Errorf("run this in the project's root: %w", err)
	}
	var forms []string
	for line := range strings.Lines(string(text)) {
		form, _, _ := strings.Cut(line, "\t")
		forms = append(forms, form)
	}
	return forms[1:], nil
}

// writeInputs writes the input vectors: the record's special values, which come first there, and some of its random ones.
func writeInputs(folder string) error {
	o, err := oracle.Open()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for class, ptxType := range map[string]string{"int": "u64", "f16": "f16", "f32": "f32", "f64": "f64"} {
		for n := range 3 {
			all := o.Operand(ptxType, n)
			// Every 8th of the special pairs, which are sorted by the first operand, then random ones.
			var some []uint64
			for i := range threads {
				if i%2 == 0 {
					some = append(some, all[(i*7)%1024])
				} else {
					some = append(some, all[1024+(i*11)%3072])
				}
			}
			var b bytes.Buffer
			if err := binary.Write(&b, binary.LittleEndian, some); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s_%c.bin", class, 'a'+n)), b.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
