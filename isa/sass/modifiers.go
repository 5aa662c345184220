package sass

import "strings"

// modifiers are the texts of each modifier by value, from 0 on. "-" is an empty text, "?" a value that does not exist. A field has as many
// bits as its values need.
var modifiers = func() map[string][]string {
	list := map[string]string{
		"ftz": "- .FTZ", "fmz": "- .FTZ .FMZ .INVALIDFMZ3", "sat": "- .SAT", "carry": "- .X", "e": "- .E", "hi": "- .HI", "bf": "- .BF",
		"u": ".U32 -", "wrap": "- .W", "brev": "- .BREV", "sh": "- .SH", "ill": "- .ILLEGAL1", "cc": "- .CC",
		"rnd": "- .RM .RP .RZ", "trunc": "- .FLOOR .CEIL .TRUNC", "integral": "- .RM .RP .RZ .ROUND .FLOOR .CEIL .TRUNC",
		"mulf": "- .D2 .D4 .D8 .M8 .M4 .M2 .INVALIDSCALE7",
		"cmp":  ".F .LT .EQ .LE .GT .NE .GE .NUM .NAN .LTU .EQU .LEU .GTU .NEU .GEU .T",
		"icmp": ".F .LT .EQ .LE .GT .NE .GE .T", "bool": ".AND .OR .XOR .INVALIDBOP3", "lop": ".AND .OR .XOR .PASS_B",
		"rro": ".SINCOS .EX2", "mufu": ".COS .SIN .EX2 .LG2 .RCP .RSQ .RCP64H .RSQ64H",
		"mul": ".U32.U32 .S32.U32 .U32.S32 -", "mad": ".U32.U32 .S32.U32 .U32.S32 -",
		"spa": ".U32 .S32 .U24 .S24 .U16H0 .S16H0 .U16H1 .S16H1", "spb": ".U24 .S24 .U16H0 .S16H0",
		"spc":  ".U32 .U24 .U16H0 ? .S32 .S24 .S16H0 ? .S32 .S24 .S16H0 ? .S32 .S24 .S16H0 ?",
		"prmt": "- .F4E .B4E .RC8 .ECL .ECR .RC16 .INVALIDPRMT7", "shf": "- .INVALIDSHF1 .U64 .S64",
		"fd": ".INVALIDFPDEST0 .F16 .F32 .F64", "fs": ".INVALIDFPSRC0 .F16 .F32 .F64",
		"id": ".U8 .S8 .U16 .S16 .U32 .S32 .U64 .S64", "is": ".U8 .S8 .U16 .S16 .U32 .S32 .U64 .S64",
		"half": "- .H1", "byte": "- .B1 .B2 .B3",
		"ldcache": "- .CG .CS .CV", "stcache": "- .CG .CS .WT", "llcache": "- .CG .LU .CV", "lscache": "- .CG .CS .WT",
		"ldgcache": "- .CS .CS2 .CS3",
		"ldsize":   ".U8 .S8 .U16 .S16 - .64 .128 .U.128", "stsize": ".U8 .S8 .U16 .S16 - .64 .128 .INVALIDSIZE7",
		"ldgsize": ".U8 .S8 .U16 .S16 - ? ? ?", "ldgwide": "? ? ? ? ? .64 ? ?", "ldgwidest": "? ? ? ? ? ? .128 ?",
		"atom": ".ADD .MIN .MAX .INC .DEC .AND .OR .XOR .EXCH .INVALIDATOMOP9 .SAFEADD .INVALIDATOMOP11 .INVALIDATOMOP12 " +
			".INVALIDATOMOP13 .INVALIDATOMOP14 .INVALIDATOMOP15",
		"atype": "- .S32 .U64 .F32.FTZ.RN .U128 .S64 .INVALIDTYPE6 .INVALIDTYPE7",
		"cctlu": "- .U .C .I", "membar": ".CTA .GL .SYS .INVALIDMEMBAR3",
		"nodep": "- .NODEP", "lod": "- .LZ .LB .LL .INVALIDLOD4 .INVALIDLOD5 .LBA .LLA", "off": "- .AOFFI", "dc": "- .DC", "ndv": "- .NDV",
		"phase": "- .T .P .INVALIDPHASE3", "tldlod": ".LZ .LL", "ms": "- .MS", "comp": ".R .G .B .A",
		"geom": "1D ARRAY_1D 2D ARRAY_2D 3D ARRAY_3D CUBE ARRAY_CUBE",
		"su":   ".1D -", "dim": "- .3D",
		"clamp":   "- .SD.R2 .SD.R4 .SD.R8 .SD.R16 .PL.R1 .PL.R2 .PL.R4 .PL.R8 .PL.R16 .BL.R1 .BL.R2 .BL.R4 .BL.R8 .BL.R16 .INVALIDCLAMP15",
		"sucache": ".CA - .CS .CV", "sscache": ".WB - .CS .WT", "susize": ".U8 .S8 .U16 .S16 .32 .64 .128 .INVALIDSIZE7",
		"suzero": ".Z .TRAP .INVALIDSU2 .SDCL", "suign": ".IGN .TRAP .INVALIDSU2 .SDCL", "sutype": ".U32 .S32 .U8 .S8",
		"vote": ".ALL .ANY .EQ .INVALIDVOTE3 .INVALIDVOTE4 .INVALIDVOTE5 .INVALIDVOTE6 .INVALIDVOTE7",
		"shfl": ".IDX .UP .DOWN .BFLY",
		"bar":  ".SYNC .ARV .RED.POPC .SCAN .SYNCALL ? ? ? ? ? .RED.AND ? ? ? ? ? ? ? .RED.OR ? ? ? ? ? ? ? ? ? ? ? ? ?",
		"uni":  "- .U", "lmt": "- .LMT", "noinc": ".NOINC -",
		"arrival": ".RED.POPC .RED.AND .RED.OR ? .ARV ? ? ?", "halt": ".DRAIN .CAL .PAUSE .TRAP",
		"reduced": "? ? ? ? - .U64 ? .S32 ? ? ? .F32.FTZ.RN ? ? ? ?",
		"bpt":     ".DRAIN_ILLEGAL .CAL .PAUSE .TRAP .INT .DRAIN .INVALIDBPT6 .INVALIDBPT7", "ipa": ".PASS .CONSTANT",
		"ud": ".UD -", "sd": "- .SD", "mx": "- .MX", "merge": ".MRG_16H .MRG_16L .MRG_8B0 .MRG_8B2 .ACC .MIN .MAX -",
		"vcmp": ".F .LT .EQ .LE .GT .NE .GE .T", "vscale": "- .SHR_7 .SHR_15 .INVALIDVMADSCALE3",
		"red": "- .ACC .INVALIDRED2 .INVALIDRED3", "quarter": "? .X .Y .XY", "sixteen": ".U16 .S16", "eight": ".U8 .S8",
		"query": ".DIMENSION .TEXTURE_TYPE .SAMPLER_POSITION .FILTER .LOD .BORDER_COLOR ? ?",
		"txq": "? .DIMENSION .TEXTURE_TYPE ? ? .SAMPLER_POSITION ? ? ? ? ? ? ? ? ? ? .FILTER ? .LOD ? .WRAP ? .BORDER_COLOR ? ? ? ? " +
			"? ? ? ? ? " +
			"? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ?",
	}
	m := map[string][]string{"half_lanes": {"?", ".X", ".Y", ""}}
	for name, values := range list {
		for _, v := range strings.Fields(values) {
			if v == "-" {
				v = ""
			}
			m[name] = append(m[name], v)
		}
	}
	// Texts of cache control end in a space, except the first.
	m["cctl"] = []string{".QRY1", ".PF1 ", ".PF1_5 ", ".PF2 ", ".WB ", ".IV ", ".IVALL ", ".RS ", ".WBALL ", ".RSLB ", "?", "?", "?", "?",
		"?", "?"}
	return m
}()

// conditions are the tests of the condition code, by number.
var conditions = strings.Fields("F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T OFF LO SFF LS HI SFT HS OFT CSM_TA CSM_TR CSM_MX " +
	"FCSM_TA FCSM_TR FCSM_MX RLE RGT")

// conditionTrue is the condition that is always true.
const conditionTrue = 15

// specials are the special registers by number.
var specials = func() map[uint64]string {
	m := map[uint64]string{}
	for first, names := range map[uint64]string{
		0x00: "SR_LANEID", 0x02: "SR_VIRTCFG SR_VIRTID SR_PM0 SR_PM1 SR_PM2 SR_PM3 SR_PM4 SR_PM5 SR_PM6 SR_PM7",
		0x10: "SR_PRIM_TYPE SR_INVOCATION_ID SR_Y_DIRECTION",
		0x20: "SR_TID SR_TID.X SR_TID.Y SR_TID.Z SR_CTA_PARAM SR_CTAID.X SR_CTAID.Y SR_CTAID.Z SR_NTID SR_CirQueueIncrMinusOne SR_NLATC",
		0x30: "SR_SWINLO SR_SWINSZ SR_SMEMSZ SR_SMEMBANKS SR_LWINLO SR_LWINSZ SR_LMEMLOSZ SR_LMEMHIOFF SR_EQMASK SR_LTMASK SR_LEMASK " +
			"SR_GTMASK SR_GEMASK",
		0x40: "SR_GLOBALERRORSTATUS", 0x42: "SR_WARPERRORSTATUS", 0x50: "SR_CLOCKLO SR_CLOCKHI SR_GLOBALTIMERLO SR_GLOBALTIMERHI",
	} {
		for n, name := range strings.Fields(names) {
			m[first+uint64(n)] = name
		}
	}
	return m
}()
