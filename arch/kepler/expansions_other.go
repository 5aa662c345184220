package kepler

// tableOther expands votes, barriers, video instructions and the rest.
const tableOther = `
vote.all VOTE.ALL d e : a
vote.any VOTE.ANY d e : a
vote.uni VOTE.EQ d e : a
vote.ballot VOTE d : a
vote VOTE d : a
shfl SHFL d e : a b c
bar.sync BAR.SYNC : a b
bar.arrive BAR.ARV : a b
bar.red BAR.RED d : a b c
bar.warp NOP : a
bar BAR.SYNC : a b
membar MEMBAR
fence MEMBAR
trap BPT.TRAP
brkpt BPT.DRAIN
pmevent PMTRIG
nanosleep NOP : a
prefetch CCTL.PF2
prefetchu CCTL.PF1
discard CCTL.IV
applypriority NOP
createpolicy MOV d : a b c
griddepcontrol NOP
setmaxnreg NOP
vadd VADD d : a b c
vsub VADD d : a b c
vabsdiff VABSDIFF d : a b c
vmin VMNMX d : a b c
vmax VMNMX d : a b c
vshl VSHL d : a b c
vshr VSHR d : a b c
vmad VMAD d : a b c
vset VSET d : a b c
vadd2 VSIMD.ADD2 d : a b c
vsub2 VSIMD.SUB2 d : a b c
vavrg2 VSIMD.AVRG2 d : a b c
vabsdiff2 VABSDIFF2 d : a b c
vmin2 VSIMD.MNMX2 d : a b c
vmax2 VSIMD.MNMX2 d : a b c
vset2 VSIMD.SET2 d : a b c
vadd4 VSIMD.ADD4 d : a b c
vsub4 VSIMD.SUB4 d : a b c
vavrg4 VSIMD.AVRG4 d : a b c
vabsdiff4 VABSDIFF4 d : a b c
vmin4 VSIMD.MNMX4 d : a b c
vmax4 VSIMD.MNMX4 d : a b c
vset4 VSIMD.SET4 d : a b c
istypep MOV t0 | ISETP d : t0 a
`

// tableEmulated expands instructions that no Kepler has, to the Kepler operations that would compute them.
const tableEmulated = `
add.f16 F2F t0 : a | F2F t1 : b | FADD t2 : t0 t1 | F2F d : t2
sub.f16 F2F t0 : a | F2F t1 : b | FADD t2 : t0 t1 | F2F d : t2
mul.f16 F2F t0 : a | F2F t1 : b | FMUL t2 : t0 t1 | F2F d : t2
fma.f16 F2F t0 : a | F2F t1 : b | F2F t2 : c | FFMA t2 : t0 t1 t2 | F2F d : t2
neg.f16 LOP32I.XOR d : a
abs.f16 LOP32I.AND d : a
min.f16 F2F t0 : a | F2F t1 : b | FMNMX t2 : t0 t1 | F2F d : t2
max.f16 F2F t0 : a | F2F t1 : b | FMNMX t2 : t0 t1 | F2F d : t2
setp.f16 F2F t0 : a | F2F t1 : b | FSETP d : t0 t1 c
setp.f16.pair F2F t0 : a | F2F t1 : b | FSETP d e : t0 t1 c
set.f16 F2F t0 : a | F2F t1 : b | FSET d : t0 t1 c
ex2.ftz.f16 F2F t0 : a | RRO.EX2 t0 : t0 | MUFU.EX2 t0 : t0 | F2F d : t0
ex2.approx.f16 F2F t0 : a | RRO.EX2 t0 : t0 | MUFU.EX2 t0 : t0 | F2F d : t0
add F2F t0 : a | F2F t1 : b | F2F t2 : a | F2F t3 : b | FADD t0 : t0 t1 | FADD t2 : t2 t3 | F2F t0 : t0 | F2F t2 : t2 | PRMT d : t0 t2
sub F2F t0 : a | F2F t1 : b | F2F t2 : a | F2F t3 : b | FADD t0 : t0 t1 | FADD t2 : t2 t3 | F2F t0 : t0 | F2F t2 : t2 | PRMT d : t0 t2
mul F2F t0 : a | F2F t1 : b | F2F t2 : a | F2F t3 : b | FMUL t0 : t0 t1 | FMUL t2 : t2 t3 | F2F t0 : t0 | F2F t2 : t2 | PRMT d : t0 t2
fma F2F t0 : a | F2F t1 : b | F2F t2 : c | F2F t3 : a | F2F t4 : b | F2F t5 : c | FFMA t0 : t0 t1 t2 | FFMA t1 : t3 t4 t5 | F2F t0 : t0
	| F2F t1 : t1 | PRMT d : t0 t1
min F2F t0 : a | F2F t1 : b | F2F t2 : a | F2F t3 : b | FMNMX t0 : t0 t1 | FMNMX t2 : t2 t3 | F2F t0 : t0 | F2F t2 : t2 | PRMT d : t0 t2
max F2F t0 : a | F2F t1 : b | F2F t2 : a | F2F t3 : b | FMNMX t0 : t0 t1 | FMNMX t2 : t2 t3 | F2F t0 : t0 | F2F t2 : t2 | PRMT d : t0 t2
neg LOP32I.XOR d : a
abs LOP32I.AND d : a
ex2 F2F t0 : a | F2F t1 : a | RRO.EX2 t0 : t0 | RRO.EX2 t1 : t1 | MUFU.EX2 t0 : t0 | MUFU.EX2 t1 : t1 | F2F t0 : t0 | F2F t1 : t1
	| PRMT d : t0 t1
tanh FMUL t0 : a | RRO.EX2 t0 : t0 | MUFU.EX2 t0 : t0 | FADD t0 : t0 | MUFU.RCP t0 : t0 | FFMA d : t0
lop3 LOP.AND t0 : a b | LOP.XOR t1 : b c | LOP d : t0 t1
bmsk MOV32I t0 | SHL t0 : t0 b | SHL d : t0 a
szext BFE d : a b
fns POPC t0 : a | SHL t1 : b | LOP.AND t0 : a t1 | POPC t1 : t0 | FLO t1 : t0 | SEL d : t0 t1 a b c
dp4a BFE t0 : a | BFE t1 : b | IMAD t2 : t0 t1 c | BFE t0 : a | BFE t1 : b | IMAD t2 : t0 t1 t2 | BFE t0 : a | BFE t1 : b
	| IMAD t2 : t0 t1 t2 | BFE t0 : a | BFE t1 : b | IMAD d : t0 t1 t2 a b c
dp2a BFE t0 : a | BFE t1 : b | IMAD t2 : t0 t1 c | BFE t0 : a | BFE t1 : b | IMAD d : t0 t1 t2 a b c
activemask VOTE.ALL d
elect VOTE t0 | FLO t1 : t0 | ISETP e d : t1
match VOTE t0 : a | SHFL t1 : a t0 | ISETP p0 : t1 a | VOTE t0 : p0 | SHFL t1 : a t0 | ISETP p0 : t1 a | VOTE d e : p0 b
redux SHFL t0 : a | IADD t0 : t0 a | SHFL t1 : t0 | IADD t0 : t0 t1 | SHFL t1 : t0 | IADD t0 : t0 t1 | SHFL t1 : t0 | IADD t0 : t0 t1
	| SHFL t1 : t0 | IADD d : t0 t1 a b
`
