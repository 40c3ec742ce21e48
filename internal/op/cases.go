package op

import "slices"

// A Case is an operation and the shapes of its inputs.
type Case struct {
	Op Op
	In []Shape
}

// Cases returns every operation that has a gradient, with all its attributes, on inputs small enough for central
// differences. Tests of gradients, of scratch memory and of other engines range over them.
func Cases() []Case { return slices.Concat(layerCases(), attentionCases(), contentCases()) }

// caseDrop returns a dropout, and the same with masks for each image.
func caseDrop() (drop, perImage Dropout) {
	drop = Dropout{Rate: 0.3, Key: 7, Clock: &Clock{Step: 5}}
	perImage = drop
	perImage.PerImage = true
	return drop, perImage
}

func layerCases() []Case {
	drop, _ := caseDrop()
	target := &Target{Labels: []int32{2, 0, -1, 1}, Smoothing: 0.1}
	return []Case{
		{LinearOp{}, []Shape{{2, 3, 7}, {5, 7}, {5}}},
		{LinearOp{}, []Shape{{4, 9}, {17, 9}}},
		{GELULinearOp{}, []Shape{{2, 3, 10}, {10}, {4, 10}, {4}}},
		{LinearTokensOp{}, []Shape{{3, 4, 5}, {6, 4}, {6}}},
		{LinearTokensOp{}, []Shape{{17, 3, 2}, {2, 3}, {2}}},
		{ProductOp{}, []Shape{{3, 5}, {5, 4}}},
		{ProductOp{}, []Shape{{3, 4}, {4, 2, 3, 3}}},
		{WithOneOp{}, []Shape{{2, 3, 5}}},
		{FoldInputOp{}, []Shape{{3, 2 * 5}, {5, 4}, {5}}},
		{ResidualNormOp{Dropout{}}, []Shape{{2, 3, 9}, {2, 3, 9}, {9}, {9}}},
		{ResidualNormOp{drop}, []Shape{{4, 33}, {4, 33}, {33}, {33}}},
		{LayerNormOp{}, []Shape{{2, 3, 9}, {9}, {9}}},
		{ConvOp{ConvShape{Stride: 1}}, []Shape{{2, 5, 4, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 2}}, []Shape{{2, 5, 6, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 2}}, []Shape{{2, 4, 5, 3}, {5, 3, 1, 1}, {5}}},
		{ConvOp{ConvShape{Stride: 1}}, []Shape{{2, 3, 4, 2}, {3, 2, 4, 4}, {3}}},
		{ConvOp{ConvShape{Stride: 1, Valid: true}}, []Shape{{2, 4, 5, 3}, {4, 3, 2, 2}, {4}}},
		{ConvOp{ConvShape{Stride: 2, Valid: true}}, []Shape{{2, 6, 5, 2}, {3, 2, 3, 3}}},
		{ConvOp{ConvShape{Stride: 1, Replicate: true}}, []Shape{{2, 5, 4, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 2, Replicate: true}}, []Shape{{2, 5, 6, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 1, Replicate: true}}, []Shape{{1, 5, 4, 16}, {16, 16, 3, 3}, {16}}},
		{ConvOp{ConvShape{Stride: 1, Replicate: true}}, []Shape{{2, 3, 4, 2}, {3, 2, 4, 4}, {3}}},
		{ConvOp{ConvShape{Stride: 1, Dilation: 2}}, []Shape{{2, 5, 4, 3}, {4, 3, 3, 3}, {4}}},
		{ConvOp{ConvShape{Stride: 1, Dilation: 3, Replicate: true}}, []Shape{{1, 5, 4, 3}, {4, 3, 3, 3}}},
		{DepthConvOp{}, []Shape{{2, 4, 3, 5}, {5, 1, 3, 3}, {5}}},
		{DepthConvOp{}, []Shape{{1, 3, 4, 17}, {17, 1, 4, 4}}},
		{DepthConvOp{}, []Shape{{3, 1, 5, 2}, {2, 1, 5, 5}, {2}}},
		{DepthConvOp{Replicate: true}, []Shape{{2, 3, 4, 5}, {5, 1, 3, 3}, {5}}},
		{DepthConvOp{Replicate: true}, []Shape{{1, 2, 3, 3}, {3, 1, 4, 4}}},
		{BatchNormOp{false, false, &Moments{}}, []Shape{{2, 3, 2, 5}, {5}, {5}}},
		{BatchNormOp{false, true, &Moments{}}, []Shape{{3, 2, 1, 4}, {4}, {4}}},
		{BatchNormOp{true, true, &Moments{}}, []Shape{{3, 2, 1, 4}, {4}, {4}, {3, 2, 1, 4}}},
		{BatchNormOp{true, false, &Moments{}}, []Shape{{9, 5}, {5}, {5}, {9, 5}}},
		{PadOp{4, 6, 0}, []Shape{{2, 3, 5, 2}}},
		{PadOp{4, 3, 5}, []Shape{{2, 3, 3, 2}}},
		{MaxPoolOp{2, 2}, []Shape{{2, 5, 4, 3}}},
		{MaxPoolOp{3, 2}, []Shape{{1, 3, 5, 9}}},
		{MaxPoolAroundOp{3, 2}, []Shape{{2, 5, 4, 3}}},
		{MaxPoolAroundOp{3, 1}, []Shape{{1, 3, 2, 9}}},
		{MaxPoolAroundOp{5, 4}, []Shape{{2, 6, 7, 2}}},
		{ScaleOp{0.3}, []Shape{{2, 3}}},
		{SpaceToDepthOp{2}, []Shape{{2, 4, 6, 3}}},
		{AsGridOp{2, 3}, []Shape{{2, 6, 3}}},
		{AsTokensOp{}, []Shape{{2, 2, 3, 3}}},
		{ReshapeOp{3, [6]int{3, 2, 2}}, []Shape{{2, 6}}},
		{MeanTokensOp{}, []Shape{{2, 5, 3}}},
		{MeanTokensOp{}, []Shape{{2, 3, 2, 4}}},
		{CrossEntropyOp{target}, []Shape{{4, 3}}},
		{RepeatOp{2, 3}, []Shape{{4}}},
		{AddToEachOp{}, []Shape{{2, 3, 5}, {3, 5}}},
		{AddOp{}, []Shape{{2, 3}, {2, 3}}},
		{MapOp{Exp}, []Shape{{2, 3}}},
		{MapOp{Log}, []Shape{{2, 3}}},
		{MapOp{Sqrt}, []Shape{{5}}},
		{SumOp{0}, []Shape{{4, 3}}},
		{SumOp{1}, []Shape{{2, 3, 2}}},
		{SumOp{2}, []Shape{{2, 2, 3}}},
		{BroadcastOp{Plus}, []Shape{{2, 3}, {3}}},
		{BroadcastOp{Minus}, []Shape{{1, 3, 2}, {2, 1, 2}}},
		{BroadcastOp{Times}, []Shape{{2, 1}, {2, 5}}},
		{BroadcastOp{Times}, []Shape{{2, 3, 2}, {2, 3, 2}}},
		{BroadcastOp{Over}, []Shape{{2, 3}, {2, 1}}},
		{BroadcastOp{Over}, []Shape{{1}, {2, 3}}},
		{BroadcastOp{Max}, []Shape{{2, 3}, {1}}},
		{ReLUOp{}, []Shape{{2, 3}}},
		{GELUOp{}, []Shape{{2, 3, 5}}},
		{RunningNormOp{}, []Shape{{2, 3, 4}, {4}, {4}, {4}, {4}}},
		{ResidualOp{drop}, []Shape{{4, 3, 33}, {4, 3, 33}}},
		{WithTokenOp{}, []Shape{{2, 3, 4}, {4}}},
		{FirstTokenOp{}, []Shape{{2, 3, 4}}},
		{WeightTokensOp{}, []Shape{{2, 3, 4}, {2, 3}}},
	}
}

func attentionCases() []Case {
	drop, perImage := caseDrop()
	return []Case{
		{SoftmaxOp{}, []Shape{{2, 3, 5}}},
		{AxisScoresOp{Rows, 4, 1}, []Shape{{2, 2}, {2}}},
		{AxisScoresOp{Cols, 3, 1}, []Shape{{3, 2}, {3}}},
		{AxisScoresOp{Cols, 3, 1.5}, []Shape{{3, 2}, {3}}},
		{GeneralScoresOp{2, 3, 1}, []Shape{{2, 2}, {2, 2, 2}}},
		{GeneralScoresOp{3, 2, 0.75}, []Shape{{2, 2}, {2, 2, 2}}},
		{GaussianShiftsOp{1, 2, 1}, []Shape{{2, 2}, {2}}},
		{GaussianShiftsOp{2, 0, 1.5}, []Shape{{3, 2}, {3}}},
		{GaussianShiftsOp{2, 1, 0.75}, []Shape{{2, 2}, {2, 2, 2}}},
		{AxisShiftsOp{2, 1, 2}, []Shape{{2, 5}, {2, 5}}},
		{AxisShiftsOp{3, 2, 0}, []Shape{{15}, {3, 3}}},
		{NearShiftsOp{1, 2}, []Shape{{2, 25}}},
		{NearShiftsOp{3, 1}, []Shape{{2, 49}}},
		{ShiftMapOp{2, 3}, []Shape{{2, 15}}},
		{HeadScaleOp{}, []Shape{{2, 3, 8}, {2}}},
		{HeadScaleOp{}, []Shape{{1, 15}, {3}}},
		{HeadBlendOp{}, []Shape{{2, 3, 8}, {2, 3, 8}, {4}}},
		{ShiftScoresOp{2, 3}, []Shape{{2, 9}}},
		{ShiftScoresOp{3, 5}, []Shape{{27}}},
		{FoldKeyOp{2, 0.7}, []Shape{{6, 5}, {6, 4}}},
		{FoldKeyOp{2, 0.7}, []Shape{{6}, {6, 4}}},
		{FoldTableOp{ShiftTable{2, 1, 2, 0.7}}, []Shape{{8, 5}, {7, 3}}},
		{FoldTableOp{ShiftTable{2, 0, 2, 0.7}}, []Shape{{8, 5}, {7, 8}}},
		{FoldTableOp{ShiftTable{2, 0, 3, 0.7}}, []Shape{{8}, {7, 8}}},
		{ShiftsOfOp{ShiftTable{2, 1, 2, 0.7}}, []Shape{{3, 4, 8}, {7, 3}}},
		{ShiftsOfOp{ShiftTable{2, 0, 3, 0.7}}, []Shape{{3, 4, 8}, {7, 8}}},
		{FoldTableOp{ShiftTable{2, 0, 4, 0.7}}, []Shape{{8}, {7, 3}}},
		{MixFullOp{Drop: Dropout{}}, []Shape{{3, 6, 4}, {2, 6, 6}, {5, 8}, {5}}},
		{MixFullOp{Drop: drop}, []Shape{{3, 6, 4}, {2, 6, 6}, {5, 8}, {5}}},
		{OuterOp{}, []Shape{{2, 2, 2}, {2, 3, 3}}},
		{MixHeadsOp{Each: false, Drop: Dropout{}}, []Shape{{3, 6, 4}, {2, 6, 6}}},
		{MixHeadsOp{Each: false, Drop: perImage}, []Shape{{3, 6, 4}, {2, 6, 6}}},
		{MixHeadsOp{Each: true, Drop: drop}, []Shape{{3, 6, 8}, {2, 6, 6}}},
		{MixHeadsOp{Each: true, Drop: perImage}, []Shape{{3, 6, 8}, {2, 6, 6}}},
		{MixSeparableOp{Drop: Dropout{}}, []Shape{{3, 6, 4}, {2, 2, 2}, {2, 3, 3}, {5, 8}, {5}}},
		{MixSeparableOp{Drop: drop}, []Shape{{3, 6, 4}, {2, 2, 2}, {2, 3, 3}, {5, 8}, {5}}},
	}
}

// contentCases are heads of 2 × 3 tokens, with each term and without, keys and values of each head and for all.
func contentCases() []Case {
	drop, perImage := caseDrop()
	wide, one, row, col := Shape{3, 6, 8}, Shape{3, 6, 4}, Shape{3, 6, 2 * 3}, Shape{3, 6, 2 * 5}
	cases := []Case{
		{MixContentOp{Content: true, KeyIsValue: true, Scale: 0.5, Drop: drop}, []Shape{one, wide}},
		{MixContentOp{Content: true, KeyIsValue: true, Each: true, Scale: 0.5, Drop: perImage}, []Shape{wide, wide}},
		{MixContentOp{Content: true, Scale: 0.5}, []Shape{one, wide, one}},
		{MixContentOp{Content: true, Scale: 0.5, Drop: perImage}, []Shape{one, wide, wide}},
		{MixContentOp{Content: true, Each: true, Scale: 0.5, Drop: perImage}, []Shape{wide, wide, wide}},
		{MixContentOp{Position: true, Drop: perImage}, []Shape{one, row, col}},
		{MixContentOp{Content: true, KeyIsValue: true, Position: true, Scale: 0.5, Drop: perImage},
			[]Shape{one, wide, row, col}},
		{MixContentOp{Content: true, Each: true, Position: true, Scale: 1}, []Shape{wide, wide, one, row, col}},
		{MixContentOp{Content: true, Shift: true, Scale: 0.5, Drop: perImage}, []Shape{one, wide, one, {2, 3 * 5}}},
		{MixContentOp{Position: true, Shift: true}, []Shape{one, row, col, {2, 3 * 5}}},
	}
	for i, c := range cases {
		o := c.Op.(MixContentOp)
		o.Heads = Heads{Count: 2, Rows: 2, Cols: 3}
		cases[i].Op = o
	}
	return append(cases, windowCases()...)
}

// windowCases are heads of 3 × 4 tokens with windows of each border, with each term and without.
func windowCases() []Case {
	drop, perImage := caseDrop()
	wide, one := Shape{2, 12, 8}, Shape{2, 12, 4}
	heads := func(w Window) Heads { return Heads{2, 3, 4, w} }
	zero, apart := Window{Size: 3, Stride: 1, Dilation: 1}, Window{Size: 2, Stride: 1, Dilation: 2}
	absent := Window{Size: 3, Stride: 2, Dilation: 1, Offset: 1, Border: AbsentBorder}
	clamp := Window{Size: 3, Stride: 1, Dilation: 1, Border: ClampBorder}
	return []Case{
		{MixContentOp{Shift: true, Heads: heads(zero), Drop: drop}, []Shape{one, {2, 3 * 3}}},
		{MixContentOp{Content: true, KeyIsValue: true, Scale: 0.5, Heads: heads(zero)}, []Shape{one, wide}},
		{MixContentOp{Content: true, Each: true, Shift: true, Scale: 0.5, Heads: heads(absent), Drop: perImage},
			[]Shape{wide, wide, one, {2, 5 * 5}}},
		{MixContentOp{Content: true, Position: true, Scale: 0.5, Heads: heads(clamp), Drop: drop},
			[]Shape{one, wide, wide, {2, 12, 2 * 5}, {2, 12, 2 * 5}}},
		{MixContentOp{Position: true, Shift: true, Each: true, Heads: heads(apart)},
			[]Shape{wide, {2, 12, 2 * 3}, {2, 12, 2 * 3}, {2, 3 * 3}}},
	}
}
