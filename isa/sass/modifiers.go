package sass

import (
	_ "embed"
	"strings"

	"github.com/keplersim/keplersim/internal/columns"
)

//go:embed modifiers.txt
var modifiersText string

// modifiers are the texts of each modifier by value.
var modifiers = func() map[string][]string {
	// Texts of cache control end in a space, except the first.
	m := map[string][]string{"cctl": {".QRY1", ".PF1 ", ".PF1_5 ", ".PF2 ", ".WB ", ".IV ", ".IVALL ", ".RS ", ".WBALL ", ".RSLB ",
		"?", "?", "?", "?", "?", "?"}}
	for line := range columns.Lines(modifiersText) {
		words := strings.Fields(line)
		for _, v := range words[1:] {
			m[words[0]] = append(m[words[0]], strings.TrimPrefix(v, "-"))
		}
	}
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
