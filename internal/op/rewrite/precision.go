package rewrite

import "github.com/attnconv/attnconv/internal/op"

// factors has the products of linear maps, mixing and convolutions round their factors, where the graph says so. It
// comes last: what the other rules make multiplies too.
func factors(v *view, n *op.Node) *op.Node {
	m, ok := n.Op().(op.Multiplying)
	if !ok || v.Factors == op.Float32 || m.In(v.Factors) == n.Op() {
		return nil
	}
	return op.Apply(m.In(v.Factors), n.In()...)
}
