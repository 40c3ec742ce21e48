package threads

// Tasks is how many pieces a problem is cut into where it is large enough: even shares for many goroutines.
const Tasks = 32

// Blocks calls f in parallel for every block [lo, hi) of [0, n): blocks of the given size, the last one shorter. The
// split depends only on n and size, so a sum taken block by block, in order, never depends on the threads.
func Blocks(n, size int, f func(lo, hi int)) {
	if 0 < n && n <= size {
		f(0, n)
		return
	}
	Parallel(Count(n, size), func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// Count is the number of blocks of a size that hold n: ⌈n/size⌉.
func Count(n, size int) int { return (n + size - 1) / size }

// RoundUp is the least multiple of unit that is not below n.
func RoundUp(n, unit int) int { return Count(n, unit) * unit }

// Split cuts n into blocks of at most size, as even as multiples of unit allow, and returns their size.
func Split(n, size, unit int) int {
	return RoundUp(Count(n, max(1, Count(n, size))), unit)
}
