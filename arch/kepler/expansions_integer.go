package kepler

// tableInteger expands integer arithmetic, logic, shifts, bit fields, comparison and selection. 32-bit division is nvcc's: a reciprocal in
// f32 with two corrections. If the divisor becomes known only when ptxas unrolls a loop, ptxas computes the reciprocal and leaves the rest
// (nvcc 7.5's code for Rodinia's layerforward, whose divisors are 2, 4, 8 and 16).
const tableInteger = `
add.i16 IADD d : a b
add.i32 IADD d : a b
add.i64 IADD d.l cc : a.l b.l | IADD.X d.h : a.h b.h cc
sub.i16 IADD d : a b
sub.i32 IADD d : a b
sub.i64 IADD d.l cc : a.l b.l | IADD.X d.h : a.h b.h cc
addc.i32 IADD.X d : a b cc
addc.i64 IADD.X d.l cc : a.l b.l cc | IADD.X d.h : a.h b.h cc
subc.i32 IADD.X d : a b cc
subc.i64 IADD.X d.l cc : a.l b.l cc | IADD.X d.h : a.h b.h cc
mul.lo.i16 IMUL.U16.U16 d : a b
mul.hi.i16 IMUL.U16.U16 t0 : a b | SHR d : t0
mul.wide.i16 IMUL.U16.U16 d : a b
mul.lo.i32 IMUL d : a b
mul.hi.i32 IMUL.HI d : a b
mul.wide.i32 IMUL d.l : a b | IMUL.HI d.h : a b
mul.lo.i64 IMUL t0 : a.l b.l | IMUL.HI t1 : a.l b.l | IMAD t1 : a.l b.h t1 | MOV d.l : t0 | IMAD d.h : a.h b.l t1
mul.hi.i64 IMUL.HI t0 : a.l b.l | IMAD t0 cc : a.l b.h t0 | IMAD.HI.X t1 : a.l b.h cc | IMAD t0 cc : a.h b.l t0
	| IMAD.HI.X t2 : a.h b.l cc | IMAD d.l cc : a.h b.h t1 | IMAD.HI.X d.h : a.h b.h t2 cc
mad.lo.i16 IMAD.U16.U16 d : a b c
mad.hi.i16 IMUL.U16.U16 t0 : a b | SHR t0 : t0 | IADD d : t0 c
mad.wide.i16 IMAD.U16.U16 d : a b c
mad.lo.i32 IMAD d : a b c
mad.lo.i32.shift ISCADD d : a c
mad.hi.i32 IMAD.HI d : a b c
mad.wide.i32 IMAD d.l cc : a b c.l | IMAD.HI.X d.h : a b c.h cc
mad.wide.i32.shift ISCADD d.l cc : a c.l | IMAD.HI.X d.h : a b c.h cc
mad.lo.i64 IMAD t0 cc : a.l b.l c.l | IMAD.HI.X t1 : a.l b.l c.h cc | IMAD t1 : a.l b.h t1 | MOV d.l : t0 | IMAD d.h : a.h b.l t1
mad.hi.i64 IMUL.HI t0 : a.l b.l | IMAD t0 cc : a.l b.h t0 | IMAD.HI.X t1 : a.l b.h cc | IMAD t0 cc : a.h b.l t0
	| IMAD.HI.X t2 : a.h b.l cc | IMAD t3 cc : a.h b.h t1 | IMAD.HI.X t4 : a.h b.h t2 cc | IADD d.l cc : t3 c.l | IADD.X d.h : t4 c.h cc
madc.i32 IMAD.X d : a b c cc
madc.i64 IMAD.X t0 cc : a.l b.l c.l cc | IMAD.HI.X t1 : a.l b.l c.h cc | IMAD t1 : a.l b.h t1 | MOV d.l : t0 | IMAD d.h : a.h b.l t1
mul24.lo IMUL.U24.U24 d : a b
mul24.hi IMUL.U24.U24 t0 : a b | IMUL.HI t1 : a b | SHF.R d : t0 t1
mad24.lo IMAD.U24.U24 d : a b c
mad24.hi IMUL.U24.U24 t0 : a b | IMUL.HI t1 : a b | SHF.R t0 : t0 t1 | IADD d : t0 c
sad.i16 ISAD d : a b c
sad.i32 ISAD d : a b c
sad.i64 ISETP p0 : a.l b.l | ISETP.X p0 : a.h b.h p0 | IADD t0 cc : a.l b.l | IADD.X t1 : a.h b.h cc | IADD t2 cc : t0
	| IADD.X t3 : t1 cc | SEL t0 : t0 t2 p0 | SEL t1 : t1 t3 p0 | IADD d.l cc : t0 c.l | IADD.X d.h : t1 c.h cc
div.u32 I2F.F32.U32.RP t0 : b | MUFU.RCP t0 : t0 | IADD32I t0 : t0 | F2I.FTZ.U32.F32.TRUNC t1 : t0 | IMUL t2 : t1 b | I2I.S32.S32 t2 : t2
	| IMAD.HI t1 : t1 t2 t1 | IMUL.HI t3 : t1 a | IADD t4 : t3 | IMAD t2 : t3 b a | ISETP.GE.U32 p0 : t2 b | SEL t3 : t4 t3 p0 | IADD t4 : t3
	| ISUB t5 : t2 b | SEL t2 : t5 t2 p0 | ISETP.GE.U32 p0 : t2 b | SEL t3 : t4 t3 p0 | LOP.PASS_B t4 : b | ISETP.NE p2 : b | SEL d : t4 t3 p2
div.s32 I2I.S32.S32 t4 : a | I2I.S32.S32 t5 : b | LOP.XOR t6 : a b | I2F.F32.U32.RP t0 : t5 | MUFU.RCP t0 : t0 | IADD32I t0 : t0
	| F2I.FTZ.U32.F32.TRUNC t1 : t0 | IMUL t2 : t1 t5 | I2I.S32.S32 t2 : t2 | IMAD.HI t1 : t1 t2 t1 | IMUL.HI t3 : t1 t4 | IADD t7 : t3
	| IMAD t2 : t3 t5 t4 | ISETP.GE.U32 p0 : t2 t5 | SEL t3 : t7 t3 p0 | IADD t7 : t3 | ISUB t8 : t2 t5 | SEL t2 : t8 t2 p0
	| ISETP.GE.U32 p0 : t2 t5 | SEL t3 : t7 t3 p0 | ISETP.GE p1 : t6 | I2I.S32.S32 t7 : t3 | SEL t3 : t7 t3 p1 | LOP.PASS_B t7 : b
	| ISETP.NE p2 : b | SEL d : t7 t3 p2
rem.u32 I2F.F32.U32.RP t0 : b | MUFU.RCP t0 : t0 | IADD32I t0 : t0 | F2I.FTZ.U32.F32.TRUNC t1 : t0 | IMUL t2 : t1 b | I2I.S32.S32 t2 : t2
	| IMAD.HI t1 : t1 t2 t1 | IMUL.HI t3 : t1 a | IMAD t2 : t3 b a | ISETP.GE.U32 p0 : t2 b | ISUB t5 : t2 b | SEL t2 : t5 t2 p0
	| ISETP.GE.U32 p0 : t2 b | ISUB t5 : t2 b | SEL t2 : t5 t2 p0 | LOP.PASS_B t4 : b | ISETP.NE p2 : b | SEL d : t4 t2 p2
rem.s32 I2I.S32.S32 t4 : a | I2I.S32.S32 t5 : b | I2F.F32.U32.RP t0 : t5 | MUFU.RCP t0 : t0 | IADD32I t0 : t0
	| F2I.FTZ.U32.F32.TRUNC t1 : t0 | IMUL t2 : t1 t5 | I2I.S32.S32 t2 : t2 | IMAD.HI t1 : t1 t2 t1 | IMUL.HI t3 : t1 t4 | IMAD t2 : t3 t5 t4
	| ISETP.GE.U32 p0 : t2 t5 | ISUB t7 : t2 t5 | SEL t2 : t7 t2 p0 | ISETP.GE.U32 p0 : t2 t5 | ISUB t7 : t2 t5 | SEL t2 : t7 t2 p0
	| ISETP.GE p1 : a | I2I.S32.S32 t7 : t2 | SEL t2 : t7 t2 p1 | LOP.PASS_B t7 : b | ISETP.NE p2 : b | SEL d : t7 t2 p2
div.u32.known I2I.S32.S32 t2 : b | IMAD.HI t1 : b t2 b | IMUL.HI t3 : t1 a | IADD t4 : t3 | IMAD t2 : t3 b a | ISETP.GE.U32 p0 : t2 b
	| SEL t3 : t4 t3 p0 | IADD t4 : t3 | ISUB t5 : t2 b | SEL t2 : t5 t2 p0 | ISETP.GE.U32 p0 : t2 b | SEL d : t4 t3 p0
div.s32.known I2I.S32.S32 t2 : b | I2I.S32.S32 t4 : a | LOP.XOR t6 : a b | IMAD.HI t1 : b t2 b | IMUL.HI t3 : t1 t4 | IADD t7 : t3
	| IMAD t2 : t3 b t4 | ISETP.GE.U32 p0 : t2 b | SEL t3 : t7 t3 p0 | IADD t7 : t3 | ISUB t8 : t2 b | SEL t2 : t8 t2 p0
	| ISETP.GE.U32 p0 : t2 b | SEL t3 : t7 t3 p0 | ISETP.GE p1 : t6 | I2I.S32.S32 t7 : t3 | SEL d : t7 t3 p1
rem.u32.known I2I.S32.S32 t2 : b | IMAD.HI t1 : b t2 b | IMUL.HI t3 : t1 a | IMAD t2 : t3 b a | ISETP.GE.U32 p0 : t2 b | ISUB t4 : t2 b
	| SEL t2 : t4 t2 p0 | ISETP.GE.U32 p0 : t2 b | ISUB t4 : t2 b | SEL d : t4 t2 p0
rem.s32.known I2I.S32.S32 t2 : b | I2I.S32.S32 t4 : a | IMAD.HI t1 : b t2 b | IMUL.HI t3 : t1 t4 | IMAD t2 : t3 b t4
	| ISETP.GE.U32 p0 : t2 b | ISUB t5 : t2 b | SEL t2 : t5 t2 p0 | ISETP.GE.U32 p0 : t2 b | ISUB t5 : t2 b | SEL t2 : t5 t2 p0
	| ISETP.GE p1 : a | I2I.S32.S32 t5 : t2 | SEL d : t5 t2 p1
div.u16 I2F.F32.U16 t0 : a | I2F.F32.U16 t1 : b | MUFU.RCP t2 : t1 | IADD32I t2 : t2 | FMUL t3 : t0 t2 | F2I.U16.F32.TRUNC d : t3
div.s16 I2F.F32.S16 t0 : a | I2F.F32.S16 t1 : b | MUFU.RCP t2 : t1 | IADD32I t2 : t2 | FMUL t3 : t0 t2 | F2I.S16.F32.TRUNC d : t3
rem.u16 I2F.F32.U16 t0 : a | I2F.F32.U16 t1 : b | MUFU.RCP t2 : t1 | IADD32I t2 : t2 | FMUL t3 : t0 t2 | F2I.U16.F32.TRUNC t4 : t3
	| IMAD d : t4 b a
rem.s16 I2F.F32.S16 t0 : a | I2F.F32.S16 t1 : b | MUFU.RCP t2 : t1 | IADD32I t2 : t2 | FMUL t3 : t0 t2 | F2I.S16.F32.TRUNC t4 : t3
	| IMAD d : t4 b a
min.i16 IMNMX d : a b
max.i16 IMNMX d : a b
min.i32 IMNMX d : a b
max.i32 IMNMX d : a b
min.i64 ISETP p0 : a.l b.l | ISETP.X p0 : a.h b.h p0 | SEL d.l : a.l b.l p0 | SEL d.h : a.h b.h p0
max.i64 ISETP p0 : a.l b.l | ISETP.X p0 : a.h b.h p0 | SEL d.l : a.l b.l p0 | SEL d.h : a.h b.h p0
abs.i16 I2I.S16.S16 d : a
abs.i32 I2I.S32.S32 d : a
abs.i64 ISETP p0 : a.h | IADD t0 cc : a.l | IADD.X t1 : a.h cc | SEL d.l : t0 a.l p0 | SEL d.h : t1 a.h p0
neg.i16 IADD d : a
neg.i32 IADD d : a
neg.i64 IADD d.l cc : a.l | IADD.X d.h : a.h cc
not.pred PSETP.AND d : a
not LOP.PASS_B d : a
cnot ICMP.EQ d : a
cnot.i64 LOP.OR t0 : a.l a.h | ICMP.EQ d.l : t0 | MOV d.h
and.pred PSETP.AND d : a b
or.pred PSETP.OR d : a b
xor.pred PSETP.XOR d : a b
and LOP.AND d : a b
or LOP.OR d : a b
xor LOP.XOR d : a b
shl.i16 SHL d : a b
shl.i32 SHL d : a b
shl.i64.constant SHF.L.U64 d.h : a.l a.h b | SHL d.l : a.l b
shl.i64.variable SHF.L.U64 d.h : a.l a.h b | SHL d.l : a.l b
shr.i16 SHR d : a b
shr.i32 SHR d : a b
shr.i64.constant SHF.R.U64 d.l : a.l a.h b | SHR d.h : a.h b
shr.i64.variable SHF.R.U64 d.l : a.l a.h b | SHR d.h : a.h b
shf SHF d : a b c
bfe.u32.constant BFE.U32 d : a
bfe.s32.constant BFE d : a
bfe.u32.variable BFI t0 : c b | BFE.U32 d : a t0
bfe.s32.variable BFI t0 : c b | BFE d : a t0
bfe.u64 IADD t0 : b c | IADD32I t0 : t0 | SHF.L.U64 t2 : a.l a.h t0 | SHL t1 : a.l t0 | IADD32I t0 : c | SHF.R.U64 d.l : t1 t2 t0
	| SHR.U32 d.h : t2 t0
bfe.s64 IADD t0 : b c | IADD32I t0 : t0 | SHF.L.U64 t2 : a.l a.h t0 | SHL t1 : a.l t0 | IADD32I t0 : c | SHF.R.S64 d.l : t1 t2 t0
	| SHR d.h : t2 t0
bfi.i32.constant BFI d : a b
bfi.i32.variable BFI t0 : f c | BFI d : a t0 b
bfi.i64 MOV32I t0 | SHF.L.U64 t2 : t0 t0 f | SHL t1 : t0 f | SHF.L.U64 t3 : t1 t2 c | SHL t4 : t1 c | SHF.L.U64 t5 : a.l a.h c
	| SHL t6 : a.l c | LOP.AND t5 : t5 t3 | LOP.AND t6 : t6 t4 | LOP.AND t3 : b.h t3 | LOP.AND t4 : b.l t4 | LOP.OR d.l : t6 t4
	| LOP.OR d.h : t5 t3
bfind.i32 FLO d : a
bfind.i64 FLO t0 : a.h | FLO t1 : a.l | ISETP p0 : a.h | IADD32I t0 : t0 | SEL d : t0 t1 p0
clz.i32 FLO.U32 t0 : a | IADD d : t0
clz.i64 FLO.U32 t0 : a.h | FLO.U32 t1 : a.l | ISETP p0 : a.h | IADD t1 : t1 | IADD t0 : t0 | SEL d : t0 t1 p0
popc.i32 POPC d : a
popc.i64 POPC t0 : a.l | POPC t1 : a.h | IADD d : t0 t1
brev.i32 BFE.U32.BREV d : a
brev.i64 BFE.U32.BREV d.l : a.h | BFE.U32.BREV d.h : a.l
prmt PRMT d : a b c
selp SEL d : a b c
selp.i64 SEL d.l : a.l b.l c | SEL d.h : a.h b.h c
selp.f64 SEL d.l : a.l b.l c | SEL d.h : a.h b.h c
slct ICMP.GE d : a b c
slct.i64 ISETP p0 : c | SEL d.l : a.l b.l p0 | SEL d.h : a.h b.h p0
slct.f64 ISETP p0 : c | SEL d.l : a.l b.l p0 | SEL d.h : a.h b.h p0
setp.i16 ISETP d : a b c
setp.i32 ISETP d : a b c
setp.i64 ISETP p0 : a.l b.l | ISETP.X d : a.h b.h p0 c
setp.f32 FSETP d : a b c
setp.f64 DSETP d : a b c
setp.i16.pair ISETP d e : a b c
setp.i32.pair ISETP d e : a b c
setp.i64.pair ISETP p0 : a.l b.l | ISETP.X d e : a.h b.h p0 c
setp.f32.pair FSETP d e : a b c
setp.f64.pair DSETP d e : a b c
setp FSETP d : a b c
rcp64h MUFU.RCP64H d : a
rsqrt64h MUFU.RSQ64H d : a
fchk FCHK.DIVIDE d : a b
setc.i32 ISETP.X d e : a b c cc
set.i16 ISET d : a b c
set.i32 ISET d : a b c
set.i64 ISETP p0 : a.l b.l | ISET.X d : a.h b.h p0 c
set.f32 FSET d : a b c
set.f64 DSET d : a b c
set FSET d : a b c
`
