package cubin

import (
	"encoding/binary"
	"fmt"
	"github.com/keplersim/keplersim/isa/sass"
	"os"
	"testing"
)

func TestD(t *testing.T) {
	d, _ := os.ReadFile(os.Getenv("F"))
	im, _ := Images(d)
	for _, i := range im {
		if i.ELF == nil {
			continue
		}
		m, _ := Parse(i.ELF)
		for _, f := range m.Functions {
			fmt.Println(f.Name)
			for at := 0; at < len(f.Code); at += 8 {
				w := binary.LittleEndian.Uint64(f.Code[at:])
				if at%64 == 0 {
					l, _ := sass.Controls(w)
					for _, c := range l {
						fmt.Printf("%02x ", uint8(c))
					}
					fmt.Println()
					continue
				}
				i, _ := sass.Decode(w)
				fmt.Printf("%04x %s\n", at, i.Text(uint64(at)))
			}
		}
	}
}
