package kepler

// parts expands the PTX forms that need more than one operation to instructions of one operation each, so that a program can be encoded as
// machine words. The tables of Expansions give an instruction's time, this one its effect; the operations are the same where nvcc's are
// known. Names and operands are those of Expansions. #n is a number, @p0 a guard, and -b a negated source. Where a step has a guard, only
// the last step writes the destination. Rows that end in unfunnelled are for chips that cannot shift two words as one. There, a shift by 32
// or more, or by a negative number, gives 0.
const parts = `
add.i64 add.cc.u32 d.l : a.l b.l | addc.u32 d.h : a.h b.h
sub.i64 sub.cc.u32 d.l : a.l b.l | subc.u32 d.h : a.h b.h
neg.i64 sub.cc.u32 d.l : #0 a.l | subc.u32 d.h : #0 a.h
abs.i64 shr.s32 t0 : a.h #31 | xor.b32 t1 : a.l t0 | xor.b32 t2 : a.h t0 | sub.cc.u32 d.l : t1 t0 | subc.u32 d.h : t2 t0
mul.wide.u32 mul.lo.u32 d.l : a b | mul.hi.u32 d.h : a b
mul.wide.s32 mul.lo.s32 d.l : a b | mul.hi.s32 d.h : a b
mul.lo.i64 mul.lo.u32 t0 : a.l b.l | mul.hi.u32 t1 : a.l b.l | mad.lo.u32 t1 : a.l b.h t1 | mad.lo.u32 d.h : a.h b.l t1 | mov.b32 d.l : t0
mul.hi.u64 mul.hi.u32 t0 : a.l b.l | mad.lo.cc.u32 t0 : a.l b.h t0 | madc.hi.u32 t1 : a.l b.h #0 | mad.lo.cc.u32 t0 : a.h b.l t0
	| madc.hi.cc.u32 t2 : a.h b.l t1 | addc.u32 t3 : #0 #0 | mad.lo.cc.u32 t2 : a.h b.h t2 | madc.hi.u32 d.h : a.h b.h t3 | mov.b32 d.l : t2
mul.hi.s64 mul.hi.u32 t0 : a.l b.l | mad.lo.cc.u32 t0 : a.l b.h t0 | madc.hi.u32 t1 : a.l b.h #0 | mad.lo.cc.u32 t0 : a.h b.l t0
	| madc.hi.cc.u32 t2 : a.h b.l t1 | addc.u32 t3 : #0 #0 | mad.lo.cc.u32 t2 : a.h b.h t2 | madc.hi.u32 t3 : a.h b.h t3
	| shr.s32 t4 : a.h #31 | and.b32 t5 : b.l t4 | and.b32 t6 : b.h t4 | sub.cc.u32 t2 : t2 t5 | subc.u32 t3 : t3 t6
	| shr.s32 t4 : b.h #31 | and.b32 t5 : a.l t4 | and.b32 t6 : a.h t4 | sub.cc.u32 d.l : t2 t5 | subc.u32 d.h : t3 t6
mad.wide.u32 mad.lo.cc.u32 d.l : a b c.l | madc.hi.u32 d.h : a b c.h
mad.wide.s32 mad.lo.cc.s32 d.l : a b c.l | madc.hi.s32 d.h : a b c.h
mad.lo.i64 mad.lo.cc.u32 t0 : a.l b.l c.l | madc.hi.u32 t1 : a.l b.l c.h | mad.lo.u32 t1 : a.l b.h t1 | mad.lo.u32 d.h : a.h b.l t1
	| mov.b32 d.l : t0
mul24.lo.u32 and.b32 t0 : a #0xffffff | and.b32 t1 : b #0xffffff | mul.lo.u32 d : t0 t1
mul24.lo.s32 shl.b32 t0 : a #8 | shr.s32 t0 : t0 #8 | shl.b32 t1 : b #8 | shr.s32 t1 : t1 #8 | mul.lo.u32 d : t0 t1
mad24.lo.u32 and.b32 t0 : a #0xffffff | and.b32 t1 : b #0xffffff | mad.lo.u32 d : t0 t1 c
mad24.lo.s32 shl.b32 t0 : a #8 | shr.s32 t0 : t0 #8 | shl.b32 t1 : b #8 | shr.s32 t1 : t1 #8 | mad.lo.u32 d : t0 t1 c
min.u64 sub.cc.u32 t0 : a.l b.l | setc.lt.u32 p0 : a.h b.h | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
min.s64 sub.cc.u32 t0 : a.l b.l | setc.lt.s32 p0 : a.h b.h | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
max.u64 sub.cc.u32 t0 : a.l b.l | setc.gt.u32 p0 : a.h b.h | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
max.s64 sub.cc.u32 t0 : a.l b.l | setc.gt.s32 p0 : a.h b.h | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
slct.i64.s32 setp.ge.s32 p0 : c #0 | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
slct.f64.s32 setp.ge.s32 p0 : c #0 | selp.b32 d.l : a.l b.l p0 | selp.b32 d.h : a.h b.h p0
slct.i32.s32 setp.ge.s32 p0 : c #0 | selp.b32 d : a b p0
slct.f32.s32 setp.ge.s32 p0 : c #0 | selp.b32 d : a b p0
cnot.i32 setp.eq.s32 p0 : a #0 | selp.b32 d : #1 #0 p0
shl.i64 shf.l.clamp.u64 d.h : a.l a.h b | shl.b32 d.l : a.l b
shr.u64 shf.r.clamp.u64 d.l : a.l a.h b | shr.u32 d.h : a.h b
shr.s64 shf.r.clamp.s64 d.l : a.l a.h b | shr.s32 d.h : a.h b
shl.i64.unfunnelled mov.b32 t2 : b | sub.u32 t0 : #32 t2 | sub.u32 t1 : t2 #32 | shr.u32 t0 : a.l t0 | shl.b32 t1 : a.l t1
	| shl.b32 t3 : a.h t2 | or.b32 t0 : t0 t1 | or.b32 d.h : t0 t3 | shl.b32 d.l : a.l t2
shr.u64.unfunnelled mov.b32 t2 : b | sub.u32 t0 : #32 t2 | sub.u32 t1 : t2 #32 | shl.b32 t0 : a.h t0 | shr.u32 t1 : a.h t1
	| shr.u32 t3 : a.l t2 | or.b32 t0 : t0 t1 | or.b32 d.l : t0 t3 | shr.u32 d.h : a.h t2
shr.s64.unfunnelled mov.b32 t2 : b | sub.u32 t0 : #32 t2 | sub.u32 t1 : t2 #32 | shl.b32 t0 : a.h t0 | shr.u32 t3 : a.l t2
	| or.b32 t0 : t0 t3 | shr.s32 t1 : a.h t1 | setp.ge.u32 p0 : t2 #32 | selp.b32 d.l : t1 t0 p0 | shr.s32 d.h : a.h t2
popc.i64 popc.b32 t0 : a.l | popc.b32 t1 : a.h | add.u32 d : t0 t1
brev.i64 brev.b32 t0 : a.h | brev.b32 d.h : a.l | mov.b32 d.l : t0
clz.i32 bfind.u32 t0 : a | sub.u32 d : #31 t0
clz.i64 bfind.u32 t0 : a.h | bfind.u32 t1 : a.l | setp.eq.s32 p0 : a.h #0 | sub.u32 t0 : #31 t0 | sub.u32 t1 : #63 t1 | selp.b32 d : t1 t0 p0
div.u32 cvt.rp.f32.u32 t0 : b | rcp.approx.ftz.f32 t0 : t0 | add.u32 t0 : t0 #0x0ffffffe | cvt.rzi.ftz.u32.f32 t1 : t0
	| mad.lo.u32 t2 : -b t1 #0 | mul.hi.u32 t2 : t1 t2 | add.u32 t1 : t1 t2 | mul.hi.u32 t3 : t1 a | mad.lo.u32 t2 : -b t3 a
	| setp.ge.u32 p0 : t2 b | @p0 sub.u32 t2 : t2 b | @p0 add.u32 t3 : t3 #1 | setp.ge.u32 p0 : t2 b | @p0 add.u32 t3 : t3 #1
	| setp.ne.s32 p1 : b #0 | selp.b32 d : t3 #-1 p1
rem.u32 cvt.rp.f32.u32 t0 : b | rcp.approx.ftz.f32 t0 : t0 | add.u32 t0 : t0 #0x0ffffffe | cvt.rzi.ftz.u32.f32 t1 : t0
	| mad.lo.u32 t2 : -b t1 #0 | mul.hi.u32 t2 : t1 t2 | add.u32 t1 : t1 t2 | mul.hi.u32 t3 : t1 a | mad.lo.u32 t2 : -b t3 a
	| setp.ge.u32 p0 : t2 b | @p0 sub.u32 t2 : t2 b | setp.ge.u32 p0 : t2 b | @p0 sub.u32 t2 : t2 b
	| setp.ne.s32 p1 : b #0 | selp.b32 d : t2 #-1 p1
div.s32 abs.s32 t4 : a | abs.s32 t5 : b | xor.b32 t6 : a b | cvt.rp.f32.u32 t0 : t5 | rcp.approx.ftz.f32 t0 : t0
	| add.u32 t0 : t0 #0x0ffffffe | cvt.rzi.ftz.u32.f32 t1 : t0 | mad.lo.u32 t2 : -t5 t1 #0 | mul.hi.u32 t2 : t1 t2 | add.u32 t1 : t1 t2
	| mul.hi.u32 t3 : t1 t4 | mad.lo.u32 t2 : -t5 t3 t4 | setp.ge.u32 p0 : t2 t5 | @p0 sub.u32 t2 : t2 t5 | @p0 add.u32 t3 : t3 #1
	| setp.ge.u32 p0 : t2 t5 | @p0 add.u32 t3 : t3 #1 | setp.lt.s32 p0 : t6 #0 | @p0 sub.u32 t3 : #0 t3 | setp.ne.s32 p1 : b #0
	| selp.b32 d : t3 #-1 p1
rem.s32 abs.s32 t4 : a | abs.s32 t5 : b | cvt.rp.f32.u32 t0 : t5 | rcp.approx.ftz.f32 t0 : t0
	| add.u32 t0 : t0 #0x0ffffffe | cvt.rzi.ftz.u32.f32 t1 : t0 | mad.lo.u32 t2 : -t5 t1 #0 | mul.hi.u32 t2 : t1 t2 | add.u32 t1 : t1 t2
	| mul.hi.u32 t3 : t1 t4 | mad.lo.u32 t2 : -t5 t3 t4 | setp.ge.u32 p0 : t2 t5 | @p0 sub.u32 t2 : t2 t5
	| setp.ge.u32 p0 : t2 t5 | @p0 sub.u32 t2 : t2 t5 | setp.lt.s32 p0 : a #0 | @p0 sub.u32 t2 : #0 t2 | setp.ne.s32 p1 : b #0
	| selp.b32 d : t2 #-1 p1
div.ftz.f32 rcp.approx.ftz.f32 t0 : b | mul.rn.ftz.f32 d : a t0
sqrt.ftz.f32 rsqrt.approx.ftz.f32 t0 : a | rcp.approx.ftz.f32 d : t0
div.rn.f32 mov.b32 w6.l : #0 | mov.b32 w6.h : #0x3ff00000 | cvt.f64.f32 w0 : a | cvt.f64.f32 w1 : b | mov.b32 w2.l : #0 | rcp64h.u32 w2.h : w1.h | mul.rn.f64 w5 : w0 w2
	| fma.rn.f64 w3 : -w1 w2 w6 | fma.rn.f64 w2 : w2 w3 w2 | fma.rn.f64 w3 : -w1 w2 w6 | fma.rn.f64 w2 : w2 w3 w2 | mul.rn.f64 w4 : w0 w2
	| fma.rn.f64 w3 : -w1 w4 w0 | fma.rn.f64 w4 : w3 w2 w4 | setp.equ.f64 p0 : w4 #0 | @p0 mov.b32 w4.l : w5.l | @p0 mov.b32 w4.h : w5.h
	| cvt.rn.f32.f64 t0 : w4 | add.rn.f32 d : t0 #0x80000000
rcp.rn.f32 mov.b32 w6.l : #0 | mov.b32 w6.h : #0x3ff00000 | cvt.f64.f32 w1 : a | mov.b32 w2.l : #0 | rcp64h.u32 w2.h : w1.h | mov.b32 w5.l : w2.l | mov.b32 w5.h : w2.h
	| fma.rn.f64 w3 : -w1 w2 w6 | fma.rn.f64 w2 : w2 w3 w2 | fma.rn.f64 w3 : -w1 w2 w6 | fma.rn.f64 w2 : w2 w3 w2
	| fma.rn.f64 w3 : -w1 w2 w6 | fma.rn.f64 w2 : w2 w3 w2 | setp.equ.f64 p0 : w2 #0 | @p0 mov.b32 w2.l : w5.l | @p0 mov.b32 w2.h : w5.h
	| cvt.rn.f32.f64 t0 : w2 | add.rn.f32 d : t0 #0x80000000
sqrt.rn.f32 mov.b32 w6.l : #0 | mov.b32 w6.h : #0x3fe00000 | cvt.f64.f32 w0 : a | mov.b32 w1.l : #0 | rsqrt64h.u32 w1.h : w0.h | mul.rn.f64 w2 : w0 w1 | mul.rn.f64 w3 : w1 w6
	| fma.rn.f64 w4 : -w2 w3 w6 | fma.rn.f64 w2 : w2 w4 w2 | fma.rn.f64 w3 : w3 w4 w3 | fma.rn.f64 w4 : -w2 w3 w6
	| fma.rn.f64 w2 : w2 w4 w2 | fma.rn.f64 w3 : w3 w4 w3 | fma.rn.f64 w4 : -w2 w2 w0 | fma.rn.f64 w2 : w4 w3 w2
	| setp.nan.f64 p0 : w2 w2 | setp.geu.and.f64 p0 : w0 #0 p0 | @p0 mov.b32 w2.l : w0.l | @p0 mov.b32 w2.h : w0.h | cvt.rn.f32.f64 t0 : w2 | add.rn.f32 d : t0 #0x80000000
neg.f64 xor.b32 d.h : a.h #0x80000000 | mov.b32 d.l : a.l
abs.f64 and.b32 d.h : a.h #0x7fffffff | mov.b32 d.l : a.l
copysign.f32 and.b32 t0 : a #0x80000000 | and.b32 t1 : b #0x7fffffff | or.b32 d : t0 t1
copysign.f64 and.b32 t0 : a.h #0x80000000 | and.b32 t1 : b.h #0x7fffffff | or.b32 d.h : t0 t1 | mov.b32 d.l : b.l
`
