package tfevents

import (
	"encoding/binary"
	"math"
)

// A message is a protocol buffer under construction. Fields are named by their numbers; see the .proto files of
// TensorFlow and TensorBoard that the callers quote.
type message []byte

// The wire types.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
	fixed32   = 5
)

func (m message) key(field, wire int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

func (m message) int(field int, x int64) message {
	return binary.AppendUvarint(m.key(field, varint), uint64(x))
}

func (m message) double(field int, x float64) message {
	return binary.LittleEndian.AppendUint64(m.key(field, fixed64), math.Float64bits(x))
}

func (m message) float(field int, x float32) message {
	return binary.LittleEndian.AppendUint32(m.key(field, fixed32), math.Float32bits(x))
}

func (m message) text(field int, s string) message {
	return append(binary.AppendUvarint(m.key(field, delimited), uint64(len(s))), s...)
}

func (m message) message(field int, x message) message { return m.text(field, string(x)) }
