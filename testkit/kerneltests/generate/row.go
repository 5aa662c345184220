package main

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// The size of every launch: 2 blocks of 128 threads, with one input vector each.
const (
	gridBlocks   = 2
	blockThreads = 128
	threads      = gridBlocks * blockThreads
)

// row is a tested form: PTX between braces in a kernel, with its own output buffer.
//
// Registers are named by class and declared where used: %r 32-bit, %d 64-bit, %h 16-bit, %f f32, %g f64, %p predicates. The kernel sets %i
// (thread number in the grid, 32 bits), %in (address of the thread's 64 bytes of `data`) and %out (address of its words in the row's
// buffer). If the row names them, it also sets %own and %all: the thread's 16 bytes of `memory`, and the start of `memory`.
type row struct {
	group  string // all rows of a kernel have one group
	name   string // for the output buffer and comments
	words  int    // 32-bit output words a thread; 0 for none
	module string // declarations before the kernel
	local  string // declarations at the start of the kernel
	body   string // instructions
	target target
	inputs []string // buffers of input vectors, by name: int_a, f32_b …
	params []parameter
	shared int // bytes of dynamic shared memory
	// objects are the row's textures, surfaces and samplers; changed are the texel buffers that it writes.
	objects []object
	changed []string
	alone   bool
	block   int // threads a block instead of blockThreads; implies alone
}

// parameter is a further kernel parameter, with its argument in a workload file's syntax.
type parameter struct{ declaration, argument string }

// target is a row's PTX version and architecture.
type target struct{ version, architecture string }

var (
	kepler   = target{"4.2", "sm_35"}
	kepler43 = target{"4.3", "sm_35"}
	pascal   = target{"5.0", "sm_61"}
	volta    = target{"7.6", "sm_70"}
	ampere   = target{"7.8", "sm_80"}
	hopper   = target{"8.0", "sm_90"}
	// blackwell is the PTX version of that time; no instruction needs the architecture.
	blackwell = target{"8.6", "sm_90"}
	older     = target{"1.4", "sm_13"}
	oldest    = target{"1.3", "sm_13"}
)

var targets = map[string]target{"kepler": kepler, "pascal": pascal, "volta": volta, "ampere": ampere, "hopper": hopper,
	"blackwell": blackwell, "older": older, "oldest": oldest}

// kernel is a PTX file with its workload file.
type kernel struct {
	group string
	name  string // file name without extension, and name of the entry
	rows  []row
}

// pack groups rows into kernels by group and target, with a limit on rows for each.
func pack(rows []row) []kernel {
	const most = 8
	var kernels []kernel
	open := map[string]int{}
	count := map[string]int{}
	for _, r := range rows {
		key := r.group + " " + r.target.version + r.target.architecture
		alone := r.alone || r.block != 0 || r.shared != 0
		if i, ok := open[key]; ok && !alone && len(kernels[i].rows) < most {
			kernels[i].rows = append(kernels[i].rows, r)
			continue
		}
		count[r.group]++
		k := kernel{group: r.group, name: fmt.Sprintf("%s_%d", strings.ReplaceAll(r.group, "-", "_"), count[r.group]), rows: []row{r}}
		if alone {
			k.name = identifier(r.name)
			count[r.group]--
		} else {
			open[key] = len(kernels)
		}
		kernels = append(kernels, k)
	}
	return kernels
}

var notIdentifier = regexp.MustCompile(`[^A-Za-z0-9]+`)

// identifier turns a form into a buffer or kernel name.
func identifier(s string) string {
	return strings.Trim(notIdentifier.ReplaceAllString(s, "_"), "_")
}

var registerClasses = []struct {
	pattern *regexp.Regexp
	kind    string
}{
	{regexp.MustCompile(`%r\d+\b`), ".b32"},
	{regexp.MustCompile(`%d\d+\b`), ".b64"},
	{regexp.MustCompile(`%h\d+\b`), ".b16"},
	{regexp.MustCompile(`%f\d+\b`), ".f32"},
	{regexp.MustCompile(`%g\d+\b`), ".f64"},
	{regexp.MustCompile(`%p\d+\b`), ".pred"},
}

// registers declares the registers in a body.
func registers(body string) string {
	var out strings.Builder
	for _, c := range registerClasses {
		names := c.pattern.FindAllString(body, -1)
		sort.Strings(names)
		if names = slices.Compact(names); len(names) > 0 {
			fmt.Fprintf(&out, "\t\t.reg %s %s;\n", c.kind, strings.Join(names, ", "))
		}
	}
	return out.String()
}

// uses tells whether any row's text contains the word.
func (k *kernel) uses(word string) bool {
	pattern := regexp.MustCompile(regexp.QuoteMeta(word) + `\b`)
	return slices.ContainsFunc(k.rows, func(r row) bool { return pattern.MatchString(r.body) })
}

func (k *kernel) block() int {
	if b := k.rows[0].block; b != 0 {
		return b
	}
	return blockThreads
}

// inputs returns the vector buffers that the kernel reads.
func (k *kernel) inputs() []string {
	var all []string
	for _, r := range k.rows {
		all = append(all, r.inputs...)
	}
	sort.Strings(all)
	return slices.Compact(all)
}

// ptx writes the kernel.
func (k *kernel) ptx() string {
	var b strings.Builder
	t := k.rows[0].target
	b.WriteString(generated + ". Rows: ")
	for i, r := range k.rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.name)
	}
	fmt.Fprintf(&b, ".\n.version %s\n.target %s\n", t.version, t.architecture)
	if t != older && t != oldest {
		b.WriteString(".address_size 64\n")
	}
	b.WriteString("\n")
	seen := map[string]bool{}
	for _, r := range k.rows {
		if r.module != "" && !seen[r.module] {
			seen[r.module] = true
			b.WriteString(strings.TrimRight(r.module, "\n") + "\n\n")
		}
	}
	visible := ".visible "
	if t == older || t == oldest {
		visible = ""
	}
	var parameters []string
	for _, p := range k.parameters() {
		parameters = append(parameters, p.declaration)
	}
	if t == oldest { // before parameter lists
		fmt.Fprintf(&b, ".entry %s\n{\n\t%s;\n", k.name, strings.Join(parameters, ";\n\t"))
	} else {
		fmt.Fprintf(&b, "%s.entry %s(\n\t%s)\n{\n", visible, k.name, strings.Join(parameters, ",\n\t"))
	}
	b.WriteString("\t.reg .b32 %i, %thread, %size;\n\t.reg .b64 %out, %at;\n")
	for _, in := range k.inputs() {
		fmt.Fprintf(&b, "\t.reg .b64 %%%s;\n", in)
	}
	for _, name := range []string{"%in", "%own", "%all"} {
		if k.uses(name) {
			fmt.Fprintf(&b, "\t.reg .b64 %s;\n", name)
		}
	}
	for _, r := range k.rows {
		if r.local != "" && !seen[r.local] {
			seen[r.local] = true
			b.WriteString(indent(r.local, "\t"))
		}
	}
	space := ".param"
	b.WriteString("\tmov.u32 %i, %ctaid.x;\n\tmov.u32 %size, %ntid.x;\n\tmov.u32 %thread, %tid.x;\n\tmad.lo.u32 %i, %i, %size, %thread;\n")
	address := func(register, parameter string, stride int) {
		fmt.Fprintf(&b, "\tld%s.u64 %s, [%s];\n\tmul.wide.u32 %%at, %%i, %d;\n\tadd.u64 %s, %s, %%at;\n", space, register, parameter,
			stride, register, register)
	}
	for _, in := range k.inputs() {
		address("%"+in, "in_"+in, 8)
	}
	if k.uses("%in") {
		address("%in", "in_data", 64)
	}
	if k.uses("%all") {
		fmt.Fprintf(&b, "\tld%s.u64 %%all, [in_memory];\n", space)
	}
	if k.uses("%own") {
		address("%own", "in_memory", 16)
	}
	for _, r := range k.rows {
		fmt.Fprintf(&b, "\n\t// %s\n\t{\n", r.name)
		b.WriteString(registers(r.body))
		if r.words > 0 {
			fmt.Fprintf(&b, "\t\tld%s.u64 %%out, [out_%s];\n\t\tmul.wide.u32 %%at, %%i, %d;\n\t\tadd.u64 %%out, %%out, %%at;\n", space,
				identifier(r.name), 4*r.words)
		}
		b.WriteString(indent(r.body, "\t\t"))
		b.WriteString("\t}\n")
	}
	b.WriteString("\texit;\n}\n")
	return b.String()
}

// indent prefixes each line of a text, labels with one tab less.
func indent(text, prefix string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if line != "" {
			b.WriteString(prefix + line + "\n")
		}
	}
	return b.String()
}

// parameters returns the kernel's parameters with their arguments, in order.
func (k *kernel) parameters() []parameter {
	var all []parameter
	for _, in := range k.inputs() {
		all = append(all, parameter{".param .u64 in_" + in, in})
	}
	if k.uses("%in") {
		all = append(all, parameter{".param .u64 in_data", "data"})
	}
	if k.uses("%all") || k.uses("%own") {
		all = append(all, parameter{".param .u64 in_memory", "memory"})
	}
	for _, r := range k.rows {
		if r.words > 0 {
			all = append(all, parameter{".param .u64 out_" + identifier(r.name), identifier(r.name)})
		}
	}
	for _, r := range k.rows {
		all = append(all, r.params...)
	}
	return all
}

// workload writes the kernel's workload file. recorded has the SHA-256 of each buffer after the run on a GPU, or is nil.
func (k *kernel) workload(recorded map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Generated by testkit/kerneltests/generate; the expected bytes were recorded on a GPU.\nname: %s\n"+
		"module: %s.ptx\nbuffers:\n", k.name, k.name)
	for _, in := range k.inputs() {
		fmt.Fprintf(&b, "  %s: {type: b64, count: %d, init: {file: ../inputs/%s.bin}}\n", in, threads, in)
	}
	if k.uses("%in") {
		fmt.Fprintf(&b, "  data: {type: b32, count: %d, init: {random: {seed: 7}}}\n", threads*16)
	}
	if k.uses("%all") || k.uses("%own") {
		fmt.Fprintf(&b, "  memory: {type: b32, count: %d, init: {random: {seed: 11}}}\n", threads*4)
	}
	for _, r := range k.rows {
		if r.words > 0 {
			fmt.Fprintf(&b, "  %s: {type: b32, count: %d}\n", identifier(r.name), threads*r.words)
		}
	}
	objects := k.objects()
	for _, o := range objects {
		if o.buffer != "" {
			fmt.Fprintf(&b, "  texels_%s: %s\n", o.name, o.buffer)
		}
	}
	for _, section := range []string{"textures", "samplers"} {
		head := section + ":\n"
		for _, o := range objects {
			if o.section() == section {
				fmt.Fprintf(&b, "%s  %s: %s\n", head, o.name, o.binding)
				head = ""
			}
		}
	}
	var arguments []string
	for _, p := range k.parameters() {
		arguments = append(arguments, p.argument)
	}
	fmt.Fprintf(&b, "steps:\n  - launch: {kernel: %s, grid: [%d], block: [%d], shared: %d,\n             args: [%s]}\n", k.name,
		gridBlocks*blockThreads/k.block(), k.block(), k.rows[0].shared, strings.Join(arguments, ", "))
	if len(recorded) > 0 {
		b.WriteString("expect:\n")
		for _, name := range k.outputs() {
			fmt.Fprintf(&b, "  %s: {sha256: %s}\n", name, recorded[name])
		}
	}
	return b.String()
}

// outputs returns the buffers that the kernel may change.
func (k *kernel) outputs() []string {
	var all []string
	if k.uses("%all") || k.uses("%own") {
		all = append(all, "memory")
	}
	for _, r := range k.rows {
		if r.words > 0 {
			all = append(all, identifier(r.name))
		}
		all = append(all, r.changed...)
	}
	return all
}

// objects returns all rows' objects, each once.
func (k *kernel) objects() []object {
	var all []object
	for _, r := range k.rows {
		for _, o := range r.objects {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return all
}
