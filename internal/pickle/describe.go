package pickle

import "fmt"

// describe names v in an error.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a boolean"
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case []byte:
		return "bytes"
	case *List:
		return "a list"
	case *Dict:
		return "a dictionary"
	case *Array:
		return "an array"
	case float64:
		return "a float"
	case *Tensor:
		return "a tensor"
	case *Storage:
		return "the storage of a tensor"
	case *Object:
		return fmt.Sprintf("%.80q of Python", v.Name)
	case function:
		return "the function " + string(v)
	}
	return "an unfinished value"
}

// complete reports whether v is a value that Parse may return.
func complete(v any) bool {
	switch v.(type) {
	case nil, bool, int64, float64, string, []byte, *List, *Dict, *Array, *Tensor, *Object:
		return true
	}
	return false
}

// refused are the names of instructions that are not supported, for the error.
var refused = map[byte]string{
	'G': "BINFLOAT", 'F': "FLOAT", 'o': "OBJ", 'i': "INST", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX", 'P': "PERSID",
	'Q': "BINPERSID", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8b: "LONG4", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS",
	0x91: "FROZENSET", 0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER", '2': "DUP", '1': "POP_MARK",
}

func spell(code byte) string {
	if name, ok := refused[code]; ok {
		return name
	}
	return fmt.Sprintf("0x%02x", code)
}
