package kepler

// tableConvert expands conversions. Those that change no bits are moves, which package expand makes itself.
const tableConvert = `
cvt.i16 I2I d : a
cvt.i32.i16 I2I.B32.B16 d : a
cvt.i16.i16 I2I.B32.B16 d : a
cvt.i32.i32 I2I d : a
cvt.i64.i64 I2I.B64 d : a
cvt.i32.i64 I2I d : a
cvt.i64.i16 I2I.B32.B16 d.l : a | SHR d.h : d.l
cvt.i64.i32 MOV d.l : a | SHR d.h : a
cvt.i16.f32 F2I d : a
cvt.i32.f32 F2I d : a
cvt.i64.f32 F2I.B64 d : a
cvt.i16.f64 F2I.F64 d : a
cvt.i32.f64 F2I.F64 d : a
cvt.i64.f64 F2I.F64 d : a
cvt.i16.f16 F2F t0 : a | F2I d : t0
cvt.i32.f16 F2F t0 : a | F2I d : t0
cvt.i64.f16 F2F t0 : a | F2I.B64 d : t0
cvt.f16.i16 I2F t0 : a | F2F d : t0
cvt.f16.i32 I2F t0 : a | F2F d : t0
cvt.f16.i64 I2F.B64 t0 : a | F2F d : t0
cvt.f32.i16 I2F d : a
cvt.f32.i32 I2F d : a
cvt.f32.i64 I2F.B64 d : a
cvt.f64.i16 I2F.F64 d : a
cvt.f64.i32 I2F.F64 d : a
cvt.f64.i64 I2F.F64 d : a
cvt.f32.f32 F2F d : a
cvt.f64.f64 F2F.F64 d : a
cvt.f64.f32 F2F.F64.F32 d : a
cvt.f32.f64 F2F.F32.F64 d : a
cvt.f16.f32 F2F d : a
cvt.f32.f16 F2F d : a
cvt.f16.f16 F2F d : a
cvt.f64.f16 F2F t0 : a | F2F.F64.F32 d : t0
cvt.f16.f64 F2F.F32.F64 t0 : a | F2F d : t0
cvt F2F d : a b
cvta.generic MOV d : a
cvta.global MOV d : a
cvta.shared IADD d : a
cvta.local IADD d : a
cvta.const IADD d : a
cvta.param IADD d : a
cvta MOV d : a
isspacep LOP32I t0 : a | ISETP d : t0
`
