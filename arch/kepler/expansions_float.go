package kepler

// tableFloat expands arithmetic on f32 and f64. Rounded divisions, reciprocals and roots take a fast path, and call a slow path for the
// operands that need it.
const tableFloat = `
add.f32 FADD d : a b
sub.f32 FADD d : a b
mul.f32 FMUL d : a b
fma.f32 FFMA d : a b c
mad.f32 FFMA d : a b c
neg.f32 FADD d : a
abs.f32 FADD d : a
min.f32 FMNMX d : a b
max.f32 FMNMX d : a b
copysign.f32 LOP32I t0 : a | BFI d : b t0
copysign.f64 LOP32I t0 : a.h | BFI d.h : b.h t0 | MOV d.l : b.l
testp.f32 LOP32I t0 : a | ISETP d : t0
testp.f64 LOP32I t0 : a.h | ISETP p0 : a.l | ISETP.X d : t0 p0
rcp.ftz.f32 MUFU.RCP d : a
rcp.approx.f32 FSETP.GT p0 : a | FMUL t0 : a p0 | MUFU.RCP t0 : t0 | FMUL d : t0 p0
rcp.rn.f32 IADD32I t3 : a | LOP32I.AND t3 : t3 | ISETP.GT.U32 p0 : t3 | BRA : p0 | [rcp.f32 CAL | SHL t4 : a | SHR t5 : t4
	| ISETP p0 : t5 | FFMA t6 : a | MUFU.RCP t7 : t6 | FFMA t6 : t6 t7 | FFMA t7 : t7 t6 t7 | IADD t5 : t5 | SHL t6 : t7
	| LOP.OR t6 : t6 t5 | SHR t7 : t6 | LOP.AND t5 : t6 | ISETP p1 : t5 | IADD t7 : t7 p1 | LOP.OR t7 : t7 a | SEL t7 : t7 p0 | RET]
	| MUFU.RCP t0 : a | FFMA t1 : a t0 | F2F.FTZ.F32.F32 t1 : t1 | FFMA d : t0 t1 t0
div.ftz.f32 MUFU.RCP t0 : b | FMUL d : a t0
div.approx.f32 FSETP.GT p0 : b | FMUL t1 : b p0 | MUFU.RCP t0 : t1 | FMUL t0 : t0 p0 | FMUL d : a t0
div.full.f32 FSETP.GT p0 : b | FMUL t1 : b p0 | FMUL t2 : a p0 | MUFU.RCP t0 : t1 | FMUL d : t2 t0
div.rn.f32 MUFU.RCP t0 : b | FCHK.DIVIDE p0 : a b | FFMA t1 : b t0 | FFMA t0 : t0 t1 t0 | FFMA t2 : a t0 | FFMA t3 : b t2 a
	| FFMA t2 : t0 t3 t2 | FFMA t3 : b t2 a | BRA : p0 | [div.f32 CAL | SHR t4 : a | SHR t5 : b | LOP.AND t4 : t4 | LOP.AND t5 : t5
	| IADD t6 : t4 | IADD t7 : t5 | ISETP p0 : t6 | ISETP p1 : t7 | FSETP p2 : a | FSETP p3 : b | PSETP p2 : p2 p3 | FFMA t8 : a
	| FFMA t9 : b | IADD t2 : t4 t5 | MUFU.RCP t5 : t9 | FFMA t6 : t9 t5 | FFMA t5 : t5 t6 t5 | FFMA t6 : t8 t5 | FFMA t7 : t9 t6 t8
	| FFMA t6 : t5 t7 t6 | FFMA t7 : t9 t6 t8 | FFMA t2 : t5 t7 t6 | SHR t4 : t2 | LOP.AND t4 : t4 | IADD t4 : t4 | ISETP p0 : t4
	| LOP.OR t2 : t2 t4 | SHL t4 : t4 | LOP.XOR t5 : a b | LOP.AND t5 : t5 | LOP.OR t2 : t2 t5 | RET] | FFMA d : t0 t3 t2
sqrt.ftz.f32 MUFU.RSQ t0 : a | MUFU.RCP d : t0
sqrt.approx.f32 FSETP.LT p0 : a | FMUL t0 : a p0 | MUFU.RSQ t0 : t0 | MUFU.RCP t0 : t0 | FMUL d : t0 p0
sqrt.rn.f32 MUFU.RSQ t0 : a | IADD32I t1 : a | ISETP.GT.U32 p0 : t1 | FMUL t2 : a t0 | FMUL t3 : t0 | FFMA t1 : t2 t2 a | BRA : p0
	| [sqrt.f32 CAL | LOP.AND t4 : a | FSETP p1 : a | FFMA t4 : a | MUFU.RSQ t5 : t4 | FMUL t6 : t4 t5 | FMUL t5 : t5 | FFMA t7 : t6 t6 t4
	| FFMA t6 : t7 t5 t6 | FMUL t6 : t6 | SEL t6 : t6 p1 | RET] | FFMA d : t1 t3 t2
rsqrt.ftz.f32 MUFU.RSQ d : a
rsqrt.approx.f32 FSETP.LT p0 : a | FMUL t0 : a p0 | MUFU.RSQ t0 : t0 | FMUL d : t0 p0
sin.f32 RRO.SINCOS t0 : a | MUFU.SIN d : t0
cos.f32 RRO.SINCOS t0 : a | MUFU.COS d : t0
sin RRO.SINCOS t0 : a | MUFU.SIN d : t0
cos RRO.SINCOS t0 : a | MUFU.COS d : t0
ex2.ftz.f32 RRO.EX2 t0 : a | MUFU.EX2 d : t0
ex2.approx.f32 FSETP.LT p0 : a | FMUL t0 : a p0 | RRO.EX2 t0 : t0 | MUFU.EX2 t0 : t0 | FMUL d : t0 p0
lg2.ftz.f32 MUFU.LG2 d : a
lg2.approx.f32 FSETP.LT p0 : a | FMUL t0 : a p0 | MUFU.LG2 t0 : t0 | FADD d : t0 p0
add.f64 DADD d : a b
sub.f64 DADD d : a b
mul.f64 DMUL d : a b
fma.f64 DFMA d : a b c
mad.f64 DFMA d : a b c
neg.f64 LOP32I.XOR d.h : a.h | MOV d.l : a.l
abs.f64 LOP32I.AND d.h : a.h | MOV d.l : a.l
min.f64 DMNMX d : a b
max.f64 DMNMX d : a b
rcp.ftz.f64 MUFU.RCP64H d.h : a.h | MOV32I d.l
rcp.approx.f64 MUFU.RCP64H d.h : a.h | MOV32I d.l
rcp.rn.f64 MUFU.RCP64H w0.h : a.h | MOV32I w0.l | DFMA w1 : a w0 | DFMA w1 : w1 w1 | DFMA w0 : w0 w1 w0 | DFMA w1 : a w0
	| LOP32I t0 : a.h | FSETP p0 : t0 | BRA : p0 | [rcp.f64 CAL | LOP.AND t0 : a.h | FSETP p0 : t0 | IADD t1 : t0 | ISETP p1 : t1
	| DMUL w5 : a | DMUL w6 : a | MUFU.RCP64H w7.h : w5.h | DFMA w8 : w5 w7 | DFMA w8 : w8 w8 | DFMA w7 : w7 w8 w7 | DMUL w8 : w6 w7
	| DFMA w6 : w5 w8 w6 | DFMA w8 : w7 w6 w8 | LOP.AND t2 : w8.h | ISETP p2 : t2 | DMUL w8 : w8 | LOP.OR t3 : w8.h | SEL t3 : t3 t1 p1
	| PSETP p0 : p0 p2 | MOV w8.h : t3 | RET] | DFMA d : w0 w1 w0
div.rn.f64 MUFU.RCP64H w0.h : b.h | MOV32I w0.l | DFMA w1 : b w0 | DFMA w1 : w1 w1 w1 | DFMA w0 : w0 w1 w0 | DMUL w2 : a w0
	| DFMA w3 : b w2 a | FSETP p1 : a.h | FFMA t0 : b.h w0.h | FSETP p0 : t0 p1 | BRA : p0 | [div.f64 CAL
	| LOP.AND t0 : a.h | FSETP p0 : t0 | IADD t1 : t0 | ISETP p1 : t1 | DMUL w5 : a | DMUL w6 : a | MUFU.RCP64H w7.h : w5.h
	| DFMA w8 : w5 w7 | DFMA w8 : w8 w8 | DFMA w7 : w7 w8 w7 | DMUL w8 : w6 w7 | DFMA w6 : w5 w8 w6 | DFMA w8 : w7 w6 w8
	| LOP.AND t2 : w8.h | ISETP p2 : t2 | DMUL w8 : w8 | LOP.OR t3 : w8.h | SEL t3 : t3 t1 p1 | PSETP p0 : p0 p2 | MOV w8.h : t3 | RET]
	| DFMA d : w0 w3 w2
sqrt.rn.f64 MUFU.RSQ64H w0.h : a.h | MOV32I w0.l | DMUL w1 : w0 w0 | DFMA w1 : a w1 | DFMA w2 : w1 | DMUL w1 : w0 w1
	| DFMA w0 : w2 w1 w0 | DMUL w1 : a w0 | IADD t0 : w0.h | DFMA w2 : w1 w1 a | ISETP p0 : a.h | BRA : p0 | [sqrt.f64 CAL
	| LOP.AND t0 : a.h | FSETP p0 : t0 | IADD t1 : t0 | ISETP p1 : t1 | DMUL w5 : a | DMUL w6 : a | MUFU.RCP64H w7.h : w5.h
	| DFMA w8 : w5 w7 | DFMA w8 : w8 w8 | DFMA w7 : w7 w8 w7 | DMUL w8 : w6 w7 | DFMA w6 : w5 w8 w6 | DFMA w8 : w7 w6 w8
	| LOP.AND t2 : w8.h | ISETP p2 : t2 | DMUL w8 : w8 | LOP.OR t3 : w8.h | SEL t3 : t3 t1 p1 | PSETP p0 : p0 p2 | MOV w8.h : t3 | RET]
	| DFMA d : w2 w0 w1
rsqrt.ftz.f64 MUFU.RSQ64H d.h : a.h | MOV32I d.l
rsqrt.approx.f64 MUFU.RSQ64H w0.h : a.h | MOV32I w0.l | DMUL w1 : w0 w0 | DFMA w1 : a w1 | DFMA w2 : w1 | DMUL w1 : w0 w1
	| DFMA d : w2 w1 w0
`
