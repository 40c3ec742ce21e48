package kernel

type gemmSet struct{}

var gemmGeneric = gemmSet{}
