package sass

// operand is a kind of operand, with its printer and parser.
type operand struct {
	immediate bool
	text      func(f *Field, word, at uint64) string
	scan      func(f *Field, text string, word *uint64, at uint64) (string, bool)
}

// operands are the kinds of operands, by the names that the table uses.
var operands map[string]operand

func init() {
	register := operand{text: func(f *Field, word, _ uint64) string { return registerName(f.Value(word)) }, scan: scanRegister}
	constant := operand{text: constantText("c[0x%x][0x%x]"), scan: scanConstant}
	operands = map[string]operand{
		"r": register, "p": {text: predicateText, scan: scanPredicate}, "const": constant,
		"spaced":   {text: constantText("c[0x%x] [0x%x]"), scan: scanConstant},
		"nextpair": {text: nextText, scan: scanNext}, "next": {text: nextText, scan: scanNext},
		"s": {immediate: true, text: signedText, scan: scanInteger}, "x": {immediate: true, text: hexText, scan: scanInteger},
		"f": {immediate: true, text: floatText, scan: scanFloat}, "float": {immediate: true, text: floatText, scan: scanFloat},
		"double": {immediate: true, text: floatText, scan: scanFloat},
		"m":      {text: memoryText, scan: scanMemory}, "ldg": {text: memoryText, scan: scanMemory}, "k": {text: indexedText,
			scan: scanIndexed},
		"t": {text: targetText, scan: scanTarget}, "sr": {text: specialText, scan: scanSpecial},
		"ccs":   {text: conditionText(" CC.", ""), scan: scanCondition(" CC.", "")},
		"ccc":   {text: conditionText(" CC.", ","), scan: scanCondition(" CC.", ",")},
		"lanes": {text: lanesText, scan: scanLanes},
		"lane":  {text: eitherText, scan: scanEither}, "bound": {text: eitherText, scan: scanEither},
		"barrier": {text: eitherText, scan: scanEither}, "count": {text: countText, scan: scanCount},
		"barp": {text: barrierPredicateText, scan: scanBarrierPredicate},
		"disp": {text: displacementText, scan: scanDisplacement}, "far": {text: displacementText, scan: scanDisplacement},
		"bptarg": {text: displacementText, scan: scanDisplacement},
	}
}

// Special returns the name of a special register.
func Special(number uint64) string { return specials[number] }
