package study

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/keplersim/keplersim/sim/stats"
)

// writeParquet writes the table as a file of Apache Parquet (https://parquet.apache.org/docs/file-format): texts as UTF-8, metrics as
// optional doubles. All rows are one row group, each column is one page of plain values without compression.
func writeParquet(w io.Writer, t *Table) error {
	var file bytes.Buffer
	file.WriteString(parquetMagic)
	schema := []func(*thrift){func(s *thrift) { // the root of the schema
		s.text(4, "study")
		s.number(5, int64(len(t.Columns)))
	}}
	var chunks []func(*thrift)
	var total int64
	for i, name := range t.Columns {
		kind, repetition := int64(parquetBytes), int64(parquetRequired)
		if t.number(i) {
			kind, repetition = parquetDouble, parquetOptional
		}
		schema = append(schema, func(s *thrift) {
			s.number(1, kind)
			s.number(3, repetition)
			s.text(4, name)
			if kind == parquetBytes {
				s.number(6, 0)                                                // converted type: UTF8
				s.inner(10, func(s *thrift) { s.inner(1, func(*thrift) {}) }) // logical type: STRING
			}
		})
		start, page := int64(file.Len()), t.page(i)
		header := thrift{}
		header.number(1, 0) // a data page
		header.number(2, int64(len(page)))
		header.number(3, int64(len(page)))
		header.inner(5, func(s *thrift) {
			s.number(1, int64(len(t.Rows)))
			s.number(2, parquetPlain)
			s.number(3, parquetRLE)
			s.number(4, parquetRLE)
		})
		header.WriteByte(0)
		file.Write(header.Bytes())
		file.Write(page)
		size := int64(file.Len()) - start
		total += size
		chunks = append(chunks, func(s *thrift) {
			s.number64(2, start)
			s.inner(3, func(s *thrift) {
				s.number(1, kind)
				s.list(2, thriftI32, 2, func(s *thrift) { s.zigzag(parquetPlain); s.zigzag(parquetRLE) })
				s.list(3, thriftBinary, 1, func(s *thrift) { s.bytes(name) })
				s.number(4, 0) // no compression
				s.number64(5, int64(len(t.Rows)))
				s.number64(6, size)
				s.number64(7, size)
				s.number64(9, start)
			})
		})
	}
	footer := thrift{}
	footer.number(1, 1) // version of the format
	footer.structs(2, schema)
	footer.number64(3, int64(len(t.Rows)))
	footer.structs(4, []func(*thrift){func(s *thrift) {
		s.structs(1, chunks)
		s.number64(2, total)
		s.number64(3, int64(len(t.Rows)))
	}})
	footer.structs(5, t.described())
	footer.text(6, "keplersim")
	footer.WriteByte(0)
	file.Write(footer.Bytes())
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(footer.Len())))
	file.WriteString(parquetMagic)
	if _, err := file.WriteTo(w); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// described returns the file's metadata: the table's schema version, and each metric's unit under the key unit.NAME.
func (t *Table) described() (pairs []func(*thrift)) {
	add := func(key, value string) {
		pairs = append(pairs, func(s *thrift) { s.text(1, key); s.text(2, value) })
	}
	add("keplersim.table_schema", strconv.Itoa(TableSchema))
	for _, name := range t.Metrics() {
		unit := cmp.Or(t.units[name], ownColumns[name])
		if d, ok := stats.Find(name); ok && unit == "" {
			unit = string(d.Unit)
		}
		if unit != "" {
			add("unit."+name, unit)
		}
	}
	return pairs
}

// Values of enumerations in parquet.thrift.
const (
	parquetMagic    = "PAR1"
	parquetDouble   = 5
	parquetBytes    = 6
	parquetRequired = 0
	parquetOptional = 1
	parquetPlain    = 0
	parquetRLE      = 3
)

// page returns a column's values. Optional values begin with their definition levels: runs of bits that say which rows have a value.
func (t *Table) page(column int) []byte {
	var values []byte
	if !t.number(column) {
		for _, row := range t.Rows {
			values = binary.LittleEndian.AppendUint32(values, uint32(len(row[column])))
			values = append(values, row[column]...)
		}
		return values
	}
	present := make([]byte, (len(t.Rows)+7)/8)
	for i, row := range t.Rows {
		if v, err := strconv.ParseFloat(row[column], 64); err == nil {
			present[i/8] |= 1 << (i % 8)
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(v))
		}
	}
	levels := append(binary.AppendUvarint(nil, uint64(len(present))<<1|1), present...) // one run of eight levels a byte, bit by bit
	page := binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))
	return append(append(page, levels...), values...)
}

// thrift writes the fields of a struct in Thrift's compact protocol, in the order of their numbers.
type thrift struct {
	bytes.Buffer
	last int // the number of the previous field
}

// Types of fields and elements.
const (
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// field begins a field. Its number must be at most 15 above that of the previous field.
func (s *thrift) field(number int, kind byte) {
	s.WriteByte(byte(number-s.last)<<4 | kind)
	s.last = number
}

func (s *thrift) zigzag(v int64) { s.Write(binary.AppendVarint(nil, v)) }

func (s *thrift) bytes(text string) {
	s.Write(binary.AppendUvarint(nil, uint64(len(text))))
	s.WriteString(text)
}

func (s *thrift) number(field int, v int64) { s.field(field, thriftI32); s.zigzag(v) }

func (s *thrift) number64(field int, v int64) { s.field(field, thriftI64); s.zigzag(v) }

func (s *thrift) text(field int, v string) { s.field(field, thriftBinary); s.bytes(v) }

// nested writes a struct and its end marker.
func (s *thrift) nested(write func(*thrift)) {
	outer := s.last
	s.last = 0
	write(s)
	s.WriteByte(0)
	s.last = outer
}

func (s *thrift) inner(field int, write func(*thrift)) {
	s.field(field, thriftStruct)
	s.nested(write)
}

// list writes a list of count elements of a type.
func (s *thrift) list(field int, kind byte, count int, write func(*thrift)) {
	s.field(field, thriftList)
	if count < 15 {
		s.WriteByte(byte(count)<<4 | kind)
	} else {
		s.WriteByte(0xf0 | kind)
		s.Write(binary.AppendUvarint(nil, uint64(count)))
	}
	write(s)
}

func (s *thrift) structs(field int, all []func(*thrift)) {
	s.list(field, thriftStruct, len(all), func(s *thrift) {
		for _, write := range all {
			s.nested(write)
		}
	})
}
