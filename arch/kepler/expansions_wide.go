package kepler

import "strings"

// tableWide expands 64-bit division and remainder: a call of a routine with two Newton steps in 64-bit integers, as nvcc links it in. The
// routine leaves the quotient in w3 and the remainder in w4.
var tableWide = wideForm("div.u64", unsignedDivision, "w3") + wideForm("div.s64", signedDivision, "w3") +
	wideForm("rem.u64", unsignedDivision, "w4") + wideForm("rem.s64", signedDivision, "w4")

// wideForm returns a row of the table: the division, with r replaced by the register of the result.
func wideForm(name, division, result string) string {
	return "\n" + name + strings.ReplaceAll(division, " r.", " "+result+".")
}

var unsignedDivision = " ISETP p0 : a.h b.h | CAL\n\t" + wideRoutine +
	"\n\t| ISETP p0 : b.l b.h | RET | SEL d.l : r.l p0 | SEL d.h : r.h p0\n"

// signedDivision divides the magnitudes, in w0 and w1, and sets the sign of the result.
var signedDivision = ` ISETP p1 : a.h | IADD t0 cc : a.l | IADD.X t1 : a.h cc | SEL w0.l : t0 a.l p1 | SEL w0.h : t1 a.h p1 | ISETP p2 : b.h
	| IADD t0 cc : b.l | IADD.X t1 : b.h cc | SEL w1.l : t0 b.l p2 | SEL w1.h : t1 b.h p2 | ISETP p0 : a.h b.h | CAL
	` + strings.NewReplacer(" a.", " w0.", " b.", " w1.", " b ", " w1 ").Replace(wideRoutine) + `
	| ISETP p0 : w1.l w1.h | IADD t0 cc : r.l | IADD.X t1 : r.h cc | PSETP p1 : p1 p2 | SEL r.l : t0 r.l p1 | SEL r.h : t1 r.h p1 | RET
	| SEL d.l : r.l p0 | SEL d.h : r.h p0
`

const wideRoutine = `| I2F.B64 t0 : b | MUFU.RCP t0 : t0 | IADD32I t0 : t0 | F2I.B64 w2 : t0 | IMUL t1 : w2.l b.l | IMAD.HI t2 cc : w2.l b.l
	| IMAD t2 : w2.l b.h t2 | IMAD t2 : w2.h b.l t2 | IADD t1 cc : t1 | IADD.X t2 : t2 cc | IMUL.HI t3 : w2.l t1
	| IMAD t3 cc : w2.l t2 t3 | IMAD.HI.X t4 : w2.l t2 cc | IMAD t3 cc : w2.h t1 t3 | IMAD.HI.X t5 : w2.h t1 cc
	| IMAD t4 cc : w2.h t2 t4 | IMAD.HI.X t5 : w2.h t2 cc | IADD w2.l cc : t4 w2.l | IADD.X w2.h : t5 w2.h cc | IMUL t1 : w2.l b.l
	| IMAD.HI t2 cc : w2.l b.l | IMAD t2 : w2.l b.h t2 | IMAD t2 : w2.h b.l t2 | IADD t1 cc : t1 | IADD.X t2 : t2 cc
	| IMUL.HI t3 : w2.l t1 | IMAD t3 cc : w2.l t2 t3 | IMAD.HI.X t4 : w2.l t2 cc | IMAD t3 cc : w2.h t1 t3 | IMAD.HI.X t5 : w2.h t1 cc
	| IMAD t4 cc : w2.h t2 t4 | IMAD.HI.X t5 : w2.h t2 cc | IADD w2.l cc : t4 w2.l | IADD.X w2.h : t5 w2.h cc | IMUL.HI t1 : w2.l a.l
	| IMAD t1 cc : w2.l a.h t1 | IMAD.HI.X t2 : w2.l a.h cc | IMAD t1 cc : w2.h a.l t1 | IMAD.HI.X t3 : w2.h a.l cc
	| IMAD t2 cc : w2.h a.h t2 | IMAD.HI.X t3 : w2.h a.h cc | IADD w3.l cc : t2 t1 | IADD.X w3.h : t3 cc | IMUL t1 : w3.l b.l
	| IMAD.HI t2 : w3.l b.l | IMAD t2 : w3.l b.h t2 | IMAD t2 : w3.h b.l t2 | IADD w4.l cc : a.l t1 | IADD.X w4.h : a.h t2 cc
	| ISETP p0 : w4.l b.l | ISETP.X p0 : w4.h b.h p0 | IADD t1 cc : w4.l b.l | IADD.X t2 : w4.h b.h cc | IADD t3 cc : w3.l
	| IADD.X t4 : w3.h cc | SEL w4.l : t1 w4.l p0 | SEL w4.h : t2 w4.h p0 | SEL w3.l : t3 w3.l p0 | SEL w3.h : t4 w3.h p0
	| ISETP p0 : w4.l b.l | ISETP.X p0 : w4.h b.h p0 | IADD t1 cc : w4.l b.l | IADD.X t2 : w4.h b.h cc | IADD t3 cc : w3.l
	| IADD.X t4 : w3.h cc | SEL w4.l : t1 w4.l p0 | SEL w4.h : t2 w4.h p0 | SEL w3.l : t3 w3.l p0 | SEL w3.h : t4 w3.h p0`
