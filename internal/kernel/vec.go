package kernel

// vecSet is the part of a Set that works on rows of numbers.
type vecSet struct{}

var vecGeneric = vecSet{}
