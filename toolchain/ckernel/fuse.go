package ckernel

import "strings"

// fuse makes fused multiply-adds as clang's back end does, so that results are identical bytes. It fuses a product and a sum in one block
// if the product has at most four uses, all of them sums in that block. isa/lower decides about the others.
func (g *generator) fuse() {
	uses := map[string]int{}
	for _, b := range g.blocks {
		for _, i := range b.code {
			for _, r := range registerName().FindAllString(i.text, -1) {
				uses[r]++
			}
		}
	}
	for _, b := range g.blocks {
		for _, kind := range []string{"f32", "f64"} {
			fuseBlock(b, kind, uses)
		}
	}
}

// operands returns the operands of an instruction with this opcode, nil for other opcodes.
func operands(i *instruction, opcode string) []string {
	rest, is := strings.CutPrefix(i.text, opcode+" ")
	if !is {
		return nil
	}
	return strings.Split(rest, ", ")
}

func fuseBlock(b *block, kind string, uses map[string]int) {
	products := map[string][]string{}
	sums := map[string]int{} // uses of a product as a summand in this block
	for n := range b.code {
		if list := operands(&b.code[n], "mul."+kind); list != nil {
			products[list[0]] = list[1:]
		}
		if list := operands(&b.code[n], "add."+kind); list != nil {
			sums[list[1]]++
			sums[list[2]]++
		}
	}
	fusible := func(r string) bool {
		return products[r] != nil && uses[r]-1 == sums[r] && sums[r] <= 4
	}
	for n := range b.code {
		list := operands(&b.code[n], "add."+kind)
		if list == nil {
			continue
		}
		for k, product := range list[1:] {
			other := list[2-k]
			if !fusible(product) {
				continue
			}
			factors := products[product]
			b.code[n].text = "fma.rn." + kind + " " + strings.Join([]string{list[0], factors[0], factors[1], other}, ", ")
			break
		}
	}
}
