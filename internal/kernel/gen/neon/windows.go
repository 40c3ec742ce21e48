package main

func windows() {
	w := along("TakeMax", "func(y, at, x []float32, k float32)", "y", "at", "x")
	k := spread("k")
	w.each(1, func(s step) {
		x, y, at := s.load("x"), s.load("y"), s.load("at")
		larger, which, number, counted := free(), free(), free(), free()
		fcmgt(larger, x, y)
		copyTo(which, larger)
		fcmeq(number, x, x) // false of NaN
		copyTo(counted, number)
		pick(larger, x, y)
		pick(number, larger, x)
		s.store(number, "y")
		pick(which, k, at)
		pick(counted, which, k)
		s.store(counted, "at")
	})
	end()

	w = along("Where", "func(y, x, at []float32, k float32)", "y", "x", "at")
	k = spread("k")
	w.each(4, func(s step) {
		mask := s.load("at")
		fcmeq(mask, mask, k)
		and(mask, mask, s.load("x"))
		s.store(mask, "y")
	})
	end()
}
