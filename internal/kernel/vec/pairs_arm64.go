//go:build !purego

package vec

// neonSubPairs and neonPairDots are subPairsPlain and pairDotsPlain with rows in assembly.
func neonSubPairs(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32) {
	for q := range len(start) - 1 {
		row := z[q*ldz : q*ldz+d]
		for n := start[q]; n < start[q+1]; n++ {
			at := int(key[n]) * ldx
			neonAxpy(-weight[n], x[at:at+d], row)
		}
	}
}

func neonPairDots(out, z, x []float32, ldx int, key []int32) {
	for n, k := range key {
		at := int(k) * ldx
		out[n] += neonDot(z, x[at:at+len(z)])
	}
}
