package op

import "github.com/attnconv/attnconv/internal/op"

// Linear returns x·Wᵀ + b.
//
//	y[…, o] = Σ_i W[o, i]·x[…, i] + b[o]
//
// x (…, in), W (out, in), b (out) -> y (…, out)
func Linear(x, w, b *Node) *Node { return op.Apply(op.LinearOp{}, x, w, b) }

// MatMul returns x·Wᵀ, Linear without a bias.
//
// x (…, in), W (out, in) -> y (…, out)
func MatMul(x, w *Node) *Node { return op.Apply(op.LinearOp{}, x, w) }

// LinearTokens returns W·x + b, which maps the tokens of each image to others, the same for each channel.
//
//	y[n, o, c] = Σ_t W[o, t]·x[n, t, c] + b[o]
//
// x (batch, tokens, channels), W (out, tokens), b (out) -> y (batch, out, channels)
func LinearTokens(x, w, b *Node) *Node { return op.Apply(op.LinearTokensOp{}, x, w, b) }

// Scale returns factor·x.
//
// x (…) -> y (…)
func Scale(x *Node, factor float32) *Node { return op.Apply(op.ScaleOp{Factor: factor}, x) }

// AddToEach returns x[b] + e, the same for every image b of a batch: a positional encoding.
//
// x (batch, …), e (…) -> y (batch, …)
func AddToEach(x, e *Node) *Node { return op.Apply(op.AddToEachOp{}, x, e) }

// Repeat gives every token of a batch the same channels.
//
// v (n) -> y (batch, tokens, n)
func Repeat(v *Node, batch, tokens int) *Node {
	return op.Apply(op.RepeatOp{Batch: batch, Tokens: tokens}, v)
}

// ReLU returns max(0, x), with the gradient 0 at 0.
//
// x (…) -> y (…)
func ReLU(x *Node) *Node { return op.Apply(op.ReLUOp{}, x) }

// GELU returns x·Φ(x) with Φ(x) = ½(1 + erf(x/√2)), the exact form.
//
// x (…), of at least one axis -> y (…). Source: Hendrycks, Gimpel 2016 (arXiv:1606.08415).
func GELU(x *Node) *Node { return op.Apply(op.GELUOp{}, x) }

// ResidualNorm returns the layer norm of x + drop(y) over the last axis:
//
//	z = x + drop(y),  out = γ·(z - μ)/√(σ² + 1e-12) + β
//
// x, y (…, d), γ, β (d) -> out (…, d). Source: Ba, Kiros, Hinton 2016 (arXiv:1607.06450), with BERT's 1e-12.
func ResidualNorm(x, y, gamma, beta *Node, drop Dropout) *Node {
	return op.Apply(op.ResidualNormOp{Drop: drop}, x, y, gamma, beta)
}

// Residual returns x + drop(y), for blocks that norm what they read.
//
// x, y (batch, …, d) -> (batch, …, d)
func Residual(x, y *Node, drop Dropout) *Node {
	if drop.Rate == 0 {
		return Add(x, y)
	}
	return op.Apply(op.ResidualOp{Drop: drop}, x, y)
}

// LayerNorm returns the layer norm of x over the last axis, for blocks that norm what they read:
//
//	y = γ·(x - μ)/√(σ² + 1e-12) + β
//
// x (…, d), γ, β (d) -> y (…, d). Source: as ResidualNorm.
func LayerNorm(x, gamma, beta *Node) *Node { return op.Apply(op.LayerNormOp{}, x, gamma, beta) }

// Moments are the mean and the biased variance of each channel over the rows of one batch, which each run of BatchNorm
// leaves: of so many Rows, Mean and Variance. nn.Graph.Track moves running statistics by them, with Move. The zero
// Moments are for one BatchNorm.
type Moments = op.Moments

// BatchNorm normalizes each channel over the batch:
//
//	z = γ·(x - μ)/√(σ² + 1e-5) + β + add,  y = max(0, z) if relu, else z,  μ and σ² over all axes but the last
//
// x, add (…, d), γ, β (d) -> y (…, d). add may be nil. conv.Norm is the layer.
// Source: Ioffe, Szegedy 2015 (arXiv:1502.03167).
func BatchNorm(x, gamma, beta, add *Node, relu bool, m *Moments) *Node {
	return op.Apply(op.BatchNormOp{Add: add != nil, ReLU: relu, Moments: m}, op.NotNil(x, gamma, beta, add)...)
}

// RunningNorm normalizes each channel by given moments:
//
//	y = γ·(x - μ)/√(σ² + 1e-5) + β
//
// x (…, d), γ, β, μ, σ² (d) -> y (…, d). conv.Norm is batch norm, and keeps the moments.
func RunningNorm(x, gamma, beta, mean, variance *Node) *Node {
	return op.Apply(op.RunningNormOp{}, x, gamma, beta, mean, variance)
}

// A Target is what a batch should be classified as, and after a run how it went. Labels are read at each run.
type Target struct {
	Labels    []int32   // one for each row of the logits: a class, or -1 for a row that does not count
	Others    []int32   // a second class for each row, of mixed images; nil: none
	Shares    []float32 // what Others take of the labels, from 0 to 1
	Smoothing float32   // share of the wanted probability that is spread over all classes, from 0 to 1
	Correct   int       // rows whose largest logit is at their label; set by each run
}

// CrossEntropy returns the mean of -Σ_c q[c]·log softmax(logits)[c] over the rows that count, with q the smoothed
// label.
//
// logits (batch, classes) -> a scalar. Labels of another length than batch, or outside the classes, are an error of the
// run.
func CrossEntropy(logits *Node, t *Target) *Node {
	return op.Apply(op.CrossEntropyOp{Target: (*op.Target)(t)}, logits)
}

// WithToken puts a token before those of each image: a class token.
//
// x (batch, tokens, d), token (d) -> y (batch, tokens+1, d)
func WithToken(x, token *Node) *Node { return op.Apply(op.WithTokenOp{}, x, token) }

// FirstToken returns the first token of each image.
//
// x (batch, tokens, d) -> y (batch, d)
func FirstToken(x *Node) *Node { return op.Apply(op.FirstTokenOp{}, x) }

// WeightTokens returns the sum of each image's tokens, by its own weights: y[b] = Σ_t p[b,t]·x[b,t].
//
// x (batch, tokens, d), p (batch, tokens) -> y (batch, d)
func WeightTokens(x, p *Node) *Node { return op.Apply(op.WeightTokensOp{}, x, p) }
