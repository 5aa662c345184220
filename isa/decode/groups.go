package decode

import (
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// template is a decoded mnemonic, without operands.
type template struct {
	form    *Form
	text    string
	ins     isa.Instruction
	memory  isa.Memory
	texture isa.TextureRef
	types   []isa.Type
	legacy  bool // a default of PTX before 1.4 applies
	demoted bool // double precision was demoted to single (map_f64_to_f32)
}

// setter records one modifier in a template.
type setter func(*template)

// groups are the modifiers by group. A form takes at most one word of each group that it names. A word may be in several groups if no form
// has both.
var groups = map[string]map[string]setter{
	"rnd": values(map[string]isa.Rounding{"rn": isa.RoundNearest, "rz": isa.RoundZero, "rm": isa.RoundMinus, "rp": isa.RoundPlus},
		func(t *template, v isa.Rounding) { t.ins.Mod.Rounding = v }),
	"rndi": values(map[string]isa.Rounding{"rni": isa.RoundNearestInt, "rzi": isa.RoundZeroInt, "rmi": isa.RoundMinusInt,
		"rpi": isa.RoundPlusInt},
		func(t *template, v isa.Rounding) { t.ins.Mod.Rounding = v }),
	"ftz":      option("ftz", func(t *template) { t.ins.Mod.Flush = true }),
	"sat":      option("sat", func(t *template) { t.ins.Mod.Saturate = true }),
	"approx":   option("approx", func(t *template) { t.ins.Mod.Approx = true }),
	"full":     option("full", func(t *template) { t.ins.Mod.Full = true }),
	"cc":       option("cc", func(t *template) { t.ins.Mod.CarryOut = true }),
	"uni":      option("uni", func(t *template) { t.ins.Mod.Uniform = true }),
	"to":       option("to", func(t *template) { t.ins.Mod.To = true }),
	"po":       option("po", func(t *template) { t.ins.Mod.PostOp = true }),
	"shiftamt": option("shiftamt", func(t *template) { t.ins.Mod.ShiftAmt = true }),
	"sync":     option("sync", func(*template) {}),
	"aligned":  option("aligned", func(*template) {}),
	"idx":      option("idx", func(*template) {}),
	"cta":      option("cta", func(*template) {}),
	"mask":     option("mask", func(t *template) { t.ins.Mod.ShiftAmt = true }),
	"half": values(map[string]isa.Half{"lo": isa.Lo, "hi": isa.Hi, "wide": isa.Wide},
		func(t *template, v isa.Half) { t.ins.Mod.Half = v }),
	"lohi": values(map[string]isa.Half{"lo": isa.Lo, "hi": isa.Hi}, func(t *template, v isa.Half) { t.ins.Mod.Half = v }),
	"hi":   values(map[string]isa.Half{"hi": isa.Hi}, func(t *template, v isa.Half) { t.ins.Mod.Half = v }),
	"shiftmode": values(map[string]isa.ShiftMode{"clamp": isa.Clamp, "wrap": isa.Wrap},
		func(t *template, v isa.ShiftMode) { t.ins.Mod.ShiftMode = v }),
	"direction": selects(map[string]isa.Sub{"l": isa.ShiftLeft, "r": isa.ShiftRight}),
	"cmpi": values(map[string]isa.Compare{"eq": isa.EQ, "ne": isa.NE, "lt": isa.LT, "le": isa.LE, "gt": isa.GT, "ge": isa.GE},
		setCompare),
	"cmpu": values(map[string]isa.Compare{"eq": isa.EQ, "ne": isa.NE, "lt": isa.LT, "le": isa.LE, "gt": isa.GT, "ge": isa.GE,
		"lo": isa.LO, "ls": isa.LS, "hi": isa.HI, "hs": isa.HS}, setCompare),
	"cmpb": values(map[string]isa.Compare{"eq": isa.EQ, "ne": isa.NE}, setCompare),
	"cmpf": values(map[string]isa.Compare{"eq": isa.EQ, "ne": isa.NE, "lt": isa.LT, "le": isa.LE, "gt": isa.GT, "ge": isa.GE,
		"equ": isa.EQU, "neu": isa.NEU, "ltu": isa.LTU, "leu": isa.LEU, "gtu": isa.GTU, "geu": isa.GEU, "num": isa.NUM, "nan": isa.NAN},
		setCompare),
	"bool": values(map[string]isa.BoolOp{"and": isa.BoolAnd, "or": isa.BoolOr, "xor": isa.BoolXor},
		setBool),
	"prmt": selects(map[string]isa.Sub{"f4e": isa.PrmtF4E, "b4e": isa.PrmtB4E, "rc8": isa.PrmtRC8, "ecl": isa.PrmtECL, "ecr": isa.PrmtECR,
		"rc16": isa.PrmtRC16}),
	"shfl":   selects(map[string]isa.Sub{"up": isa.ShflUp, "down": isa.ShflDown, "bfly": isa.ShflBfly, "idx": isa.ShflIdx}),
	"vote":   selects(map[string]isa.Sub{"all": isa.VoteAll, "any": isa.VoteAny, "uni": isa.VoteUni}),
	"ballot": selects(map[string]isa.Sub{"ballot": isa.VoteBallot}),
	"match":  selects(map[string]isa.Sub{"any": isa.MatchAny, "all": isa.MatchAll}),
	"testp": selects(map[string]isa.Sub{"finite": isa.TestFinite, "infinite": isa.TestInfinite, "number": isa.TestNumber,
		"notanumber": isa.TestNotANumber, "normal": isa.TestNormal, "subnormal": isa.TestSubnormal}),
	"add":        selects(map[string]isa.Sub{"add": isa.AtomicAdd}),
	"addminmax":  selects(map[string]isa.Sub{"add": isa.AtomicAdd, "min": isa.AtomicMin, "max": isa.AtomicMax}),
	"minmax":     selects(map[string]isa.Sub{"min": isa.AtomicMin, "max": isa.AtomicMax}),
	"logic":      selects(map[string]isa.Sub{"and": isa.AtomicAnd, "or": isa.AtomicOr, "xor": isa.AtomicXor}),
	"incdec":     selects(map[string]isa.Sub{"inc": isa.AtomicInc, "dec": isa.AtomicDec}),
	"exch":       selects(map[string]isa.Sub{"exch": isa.AtomicExch}),
	"cas":        selects(map[string]isa.Sub{"cas": isa.AtomicCas}),
	"barsync":    selects(map[string]isa.Sub{"sync": isa.BarSync}),
	"bararrive":  selects(map[string]isa.Sub{"arrive": isa.BarArrive}),
	"barred":     selects(map[string]isa.Sub{"red": isa.BarRed}),
	"barwarp":    selects(map[string]isa.Sub{"warp": isa.BarWarp}),
	"barbool":    values(map[string]isa.BoolOp{"and": isa.BoolAnd, "or": isa.BoolOr}, setBool),
	"popc":       values(map[string]isa.BoolOp{"popc": isa.BoolPopc}, setBool),
	"scale":      values(map[string]uint8{"shr7": 7, "shr15": 15}, func(t *template, v uint8) { t.ins.Mod.Scale = v }),
	"vector":     values(map[string]uint8{"v2": 2, "v4": 4}, func(t *template, v uint8) { t.memory.Vector = v }),
	"space":      spaces("global", "shared", "local", "const", "param"),
	"storespace": without(spaces("global", "shared", "local", "param"), "param::entry"), // a kernel cannot write its parameters
	"gspace":     spaces("global"),
	"atomspace":  spaces("global", "shared"),
	"cvtaspace":  spaces("global", "shared", "local", "const"),
	"prefspace":  spaces("global", "local"),
	"cacheld": values(map[string]isa.CacheOperator{"ca": isa.CacheAll, "cg": isa.CacheGlobal, "cs": isa.CacheStream, "lu": isa.CacheLastUse,
		"cv": isa.CacheVolatile},
		setCache),
	"cachenc": values(map[string]isa.CacheOperator{"ca": isa.CacheAll, "cg": isa.CacheGlobal, "cs": isa.CacheStream}, setCache),
	"cachest": values(map[string]isa.CacheOperator{"wb": isa.CacheBack, "cg": isa.CacheGlobal, "cs": isa.CacheStream,
		"wt": isa.CacheThrough}, setCache),
	"nc":       values(map[string]isa.CacheOperator{"nc": isa.CacheReadOnly}, setCache),
	"volatile": values(map[string]isa.Order{"volatile": isa.OrderVolatile}, setOrder),
	"weak":     values(map[string]isa.Order{"weak": isa.OrderWeak}, setOrder),
	"ldorder":  values(map[string]isa.Order{"relaxed": isa.OrderRelaxed, "acquire": isa.OrderAcquire}, setOrder),
	"storder":  values(map[string]isa.Order{"relaxed": isa.OrderRelaxed, "release": isa.OrderRelease}, setOrder),
	"redorder": values(map[string]isa.Order{"relaxed": isa.OrderRelaxed, "release": isa.OrderRelease}, setOrder),
	"rmworder": values(map[string]isa.Order{"relaxed": isa.OrderRelaxed, "acquire": isa.OrderAcquire, "release": isa.OrderRelease,
		"acq_rel": isa.OrderAcqRel}, setOrder),
	"fenceorder": values(map[string]isa.Order{"sc": isa.OrderSeqCst, "acq_rel": isa.OrderAcqRel, "acquire": isa.OrderAcquire,
		"release": isa.OrderRelease}, setOrder),
	"scope":     values(map[string]isa.Scope{"cta": isa.ScopeBlock, "gpu": isa.ScopeDevice, "sys": isa.ScopeSystem}, setScope),
	"membar":    values(map[string]isa.Scope{"cta": isa.ScopeBlock, "gl": isa.ScopeDevice, "sys": isa.ScopeSystem}, setScope),
	"level":     values(map[string]isa.CacheOperator{"L1": isa.CacheAll, "L2": isa.CacheGlobal}, setCache),
	"level1":    values(map[string]isa.CacheOperator{"L1": isa.CacheAll}, setCache),
	"geometry":  geometries("1d", "2d", "3d", "a1d", "a2d"),
	"cubes":     geometries("cube", "acube"),
	"gather":    geometries("2d"),
	"gathers":   geometries("a2d", "cube", "acube"),
	"surface":   geometries("1d", "2d", "3d", "a1d", "a2d"),
	"base":      mipModes("base"),
	"miplevel":  mipModes("level"),
	"grad":      mipModes("grad"),
	"component": values(map[string]uint8{"r": 0, "g": 1, "b": 2, "a": 3}, func(t *template, v uint8) { t.texture.Component = v }),
	"texquery": queries("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size",
		"num_mipmap_levels",
		"num_samples", "force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"),
	"mipquery":    queries("width", "height", "depth"),
	"surfquery":   queries("width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout"),
	"unformatted": option("b", func(*template) {}),
	"formatted":   option("p", func(t *template) { t.texture.Formatted = true }),
	"clampmode": {"trap": func(t *template) { t.texture.ClampMode = "trap" }, "clamp": func(t *template) { t.texture.ClampMode = "clamp" },
		"zero": func(t *template) { t.texture.ClampMode = "zero" }},
	"surflogic": selects(map[string]isa.Sub{"and": isa.AtomicAnd, "or": isa.AtomicOr}),
	"surfop": selects(map[string]isa.Sub{"add": isa.AtomicAdd, "min": isa.AtomicMin, "max": isa.AtomicMax, "and": isa.AtomicAnd,
		"or": isa.AtomicOr}),
	// Hints of later PTX versions. They change no result, and a Kepler's caches do not have them.
	"evict":  words("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"),
	"l2size": words("L2::64B", "L2::128B", "L2::256B"),
}

func setCompare(t *template, v isa.Compare)     { t.ins.Mod.Compare = v }
func setCache(t *template, v isa.CacheOperator) { t.memory.Cache = v }
func setOrder(t *template, v isa.Order)         { t.memory.Order = v }
func setScope(t *template, v isa.Scope)         { t.memory.Scope = v }

// values makes a group of words with their values.
func values[V any](meanings map[string]V, set func(*template, V)) map[string]setter {
	out := make(map[string]setter, len(meanings))
	for word, v := range meanings {
		out[word] = func(t *template) { set(t, v) }
	}
	return out
}

// selects makes a group of sub-operations.
func selects(meanings map[string]isa.Sub) map[string]setter {
	return values(meanings, func(t *template, v isa.Sub) { t.ins.Mod.Select = v })
}

// option makes a group of one word.
func option(word string, set setter) map[string]setter { return map[string]setter{word: set} }

// words makes a group of words without effect.
func words(list ...string) map[string]setter {
	out := make(map[string]setter, len(list))
	for _, word := range list {
		out[word] = func(*template) {}
	}
	return out
}

var spacesByName = map[string]isa.Space{
	"global": isa.SpaceGlobal, "shared": isa.SpaceShared, "local": isa.SpaceLocal, "const": isa.SpaceConst, "param": isa.SpaceParam,
}

// spaces makes a group of state spaces, with the `::` spellings of later PTX versions.
func spaces(names ...string) map[string]setter {
	out := make(map[string]setter, len(names))
	for _, name := range names {
		set := func(t *template) { t.memory.Space = spacesByName[name] }
		out[name] = set
		switch name {
		case "shared":
			out["shared::cta"] = set
		case "param":
			out["param::entry"], out["param::func"] = set, set
		}
	}
	return out
}

// without removes a word from a group.
func without(group map[string]setter, word string) map[string]setter {
	delete(group, word)
	return group
}

// wordsInto makes a group of words that are their own values.
func wordsInto(names []string, set func(*template, string)) map[string]setter {
	out := make(map[string]setter, len(names))
	for _, name := range names {
		out[name] = func(t *template) { set(t, name) }
	}
	return out
}

func geometries(names ...string) map[string]setter {
	return wordsInto(names, func(t *template, name string) { t.texture.Geometry = name })
}

func mipModes(names ...string) map[string]setter {
	return wordsInto(names, func(t *template, name string) { t.texture.MipMode = name })
}

func queries(names ...string) map[string]setter {
	return wordsInto(names, func(t *template, name string) { t.texture.Query = name })
}

// groupWords returns a group's words in alphabetical order, for messages.
func groupWords(name string) []string { return slices.Sorted(maps.Keys(groups[name])) }

func setBool(t *template, v isa.BoolOp) { t.ins.Mod.Bool = v }
