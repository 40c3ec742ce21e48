package claims

// A Source is a text that states claims.
type Source struct {
	Kind      string `json:"kind"`      // paper, slides, article or notes
	Short     string `json:"short"`     // how a sentence refers to it: author and year
	Author    string `json:"author"`    // all of them, or that the text names none
	Title     string `json:"title"`     // of the text
	Date      string `json:"date"`      // year, day, or "undated"
	Published string `json:"published"` // where
}

// An Attribution says where a source states a claim, or a sentence that the claim is about.
type Attribution struct {
	Source
	At   string `json:"at"`   // equation, lemma or section
	Says string `json:"says"` // what it says there, in our words and with its formula
}

var (
	paper = Source{Paper, "Cordonnier et al. 2020", "Jean-Baptiste Cordonnier, Andreas Loukas, Martin Jaggi",
		"On the Relationship between Self-Attention and Convolutional Layers", "2020", "ICLR 2020, arXiv:1911.03584"}
	slides = Source{Slides, "Lau 2021", "Yenson Lau", "On the Relationship between Self-Attention & Convolutional Layers",
		"2021-08-11", "Slides on the paper, Layer 6 AI"}
	article = Source{Article, `the article "Attention"`, "author not named", "Attention", "undated", "Draft of a blog post"}
	notes   = Source{Notes, "the notes", "author not named", "Self-attention vs convolution", "undated", "Study notes"}
	vaswani = Source{Article, "Vaswani et al. 2017", "Ashish Vaswani, Noam Shazeer, Niki Parmar, Jakob Uszkoreit, " +
		"Llion Jones, Aidan N. Gomez, Łukasz Kaiser, Illia Polosukhin", "Attention Is All You Need", "2017",
		"NeurIPS 2017, arXiv:1706.03762"}
	lee = Source{Article, "Lee, Lee, Song 2021", "Seung Hoon Lee, Seunghyun Lee, Byung Cheol Song",
		"Vision Transformer for Small-Size Datasets", "2021", "arXiv:2112.13492"}
	li = Source{Article, "Li, Chen, He, Hsieh 2021", "Shanda Li, Xiangning Chen, Di He, Cho-Jui Hsieh",
		"Can Vision Transformers Perform Convolution?", "2021", "arXiv:2111.01353"}
	park = Source{Article, "Park, Kim 2022", "Namuk Park, Songkuk Kim", "How Do Vision Transformers Work?", "2022",
		"ICLR 2022, arXiv:2202.06709"}
)

// attributions are the places where claims are stated. The first one of a claim that is not ours is whose it is. A
// claim of ours lists sentences of others that it is about.
var attributions = map[string][]Attribution{
	"permutation": {
		{paper, "section 2.1", "Reordering the T tokens reorders the outputs in the same way."},
		{slides, "slide on positional encoding", "Permuting the rows of X permutes the scores A."},
		{article, "section on multi-head attention", "The set of outputs Y is equivariant. One output y_j does not " +
			"depend on the order of the inputs."},
	},
	"pooled-permutation": {{article, "notes at its end",
		"Pooling the outputs by their mean makes a transformer invariant to the order of its tokens."}},
	"absolute-shift": {
		{notes, "outline, item 3, and section 4", "Absolute encodings break equivariance: the score " +
			"(x_q + P_q)ᵀ·W_qry·W_keyᵀ·(x_k + P_k) depends on q and k, not only on k - q."},
		{slides, "slide on relative positional encoding", "Absolute encodings are stronger than wanted."},
	},
	"relative-shift": {{slides, "eq. 6",
		"With r_δ, δ = k - q, instead of the positions, the scores move with the content."}},
	"eq-4": {
		{paper, "eq. 4", "MHSA(X) = concat_h[SA_h(X)]·W_out + b_out."},
		{slides, "eqs. 3 and 10", "The same, and b_out + Σ_h softmax(A_h)·X·W_val(h)·W_out(h)."},
	},
	"eq-5": {
		{paper, "eq. 5", "Conv(X)_{i,j} = Σ_δ X_{i+δ₁,j+δ₂}·W_δ + b, over the shifts δ of the kernel."},
		{notes, "section 1", "y_q = Σ_δ W_δ·p_{q+δ}, in one dimension."},
	},
	"eq-6": {
		{paper, "eq. 6", "For pixels q and k: SA(X)_q = Σ_k softmax(A_q)_k·X_k·W_val."},
		{slides, "eq. 7", "The same."},
	},
	"eq-7": {
		{paper, "eq. 7", "A_qk = (X_q + P_q)·W_qry·W_keyᵀ·(X_k + P_k)ᵀ is a sum of four terms."},
		{slides, "eq. 5", "The same four terms. Its first line writes q where the key k belongs."},
		{notes, "section 4", "The four terms pair content and position of the query with those of the key."},
	},
	"eq-8": {
		{paper, "eq. 8, after Transformer-XL", "A_qk = X_qᵀW_qryᵀW_keyX_k + X_qᵀW_qryᵀŴ_keyr_δ + uᵀW_keyX_k + " +
			"vᵀŴ_keyr_δ, with δ = k - q."},
		{slides, "eq. 6", "The same; u and v belong to a head, r_δ to all heads and layers."},
		{notes, "section 4", "The same, and so positions matter only through δ."},
	},
	"eq-9": {
		{paper, "eq. 9", "v = -α(1, -2Δ₁, -2Δ₂), r_δ = (‖δ‖², δ₁, δ₂), W_qry = W_key = 0, Ŵ_key = I."},
		{slides, "eqs. 14 and 15", "The same, with τ for Δ, and the score is -α(‖δ - τ‖² + c) with c = -‖τ‖²."},
	},
	"lemma-1": {
		{paper, "Lemma 1", "With N_h = K², D_h ≥ D_out and heads that attend to q + f(h), for a bijection f onto the " +
			"kernel's shifts, some W_val(h) make MHSA(X) = Conv(X) for all X."},
		{slides, "Lemma 1", "The same for the flipped convolution: head h attends to q - f(h)."},
	},
	"sign": {{slides, "eqs. 8, 9 and 15, and Lemma 2", "The convolution is Σ_δ X_{i-δ}·W_δ, which leaves the theorem as " +
		"it is. Lemma 1 needs f(h) = q - k, Lemma 2 makes heads with k - q = τ, and the slide on Lemma 1's " +
		"assumption sets f(h) = τ."}},
	"lemma-2": {
		{paper, "Lemma 2", "With D_p ≥ 3, for each shift Δ of the kernel some v(Δ) gives softmax(A_q)_k = 1 if " +
			"k - q = Δ, and 0 otherwise."},
		{slides, "Lemma 2", "The limit for α → ∞ of e^(-α‖δ-τ‖²) over its sum is 1 at δ = τ. The sum is over the " +
			"kernel's shifts, not over all keys."},
	},
	"theorem-1": {
		{paper, "Theorem 1", "N_h heads of dimension D_h, D_out outputs and relative encodings with D_p ≥ 3 suffice for " +
			"every convolution of √N_h × √N_h with min(D_h, D_out) output channels."},
		{slides, "main theorem", "The same."},
		{notes, "sections 3 and 5", "With enough heads, any convolution with a finite kernel."},
	},
	"channels": {
		{paper, "Theorem 1", "min(D_h, D_out) output channels."},
		{slides, "main theorem", "The same."},
	},
	"channels-no-more": {
		{paper, "after Lemma 1", "The rank of W_h is at most min(D_h, D_out)."},
		{slides, "after Lemma 1", "min(D_h, D_out) bounds how many filters of W are independent."},
	},
	"split-heads": {{vaswani, "section 3.2.2", "Each of h heads has the dimension d_model/h."}},
	"encoding-dimension": {
		{paper, "Theorem 1", "D_p ≥ 3."},
		{slides, "Lemma 2", "There is an encoding with D_p ≥ 3."},
	},
	"one-hot-encoding": {{paper, "after Lemma 2",
		"The encoding is not unique: it suffices that for each Δ some v is largest at δ = Δ."}},
	"general-lemma": {
		{paper, "appendix (generalized Lemma 1)", "Any K × K convolution, if the span of the heads' attention, for " +
			"every query, contains the unit vectors of the kernel's shifts."},
		{slides, "after Lemma 1", "Refers to this generalization."},
	},
	"alpha-46": {
		{paper, "remark on Lemma 2 (α ≥ 46)", "The smallest positive float32 is about 10^-45, so α = 46 gives hard " +
			"attention."},
		{slides, "after Lemma 2", "Hard attention in float32 for α ≥ 46, without a reason."},
	},
	"dimensions": {
		{paper, "after Theorem 1 (n = 1 and n = 2)", "In one dimension N_h heads are a kernel of size N_h, with " +
			"D_p ≥ 2."},
		{slides, "after Lemma 2", "In n dimensions D_p = n + 1."},
	},
	"dilation": {{paper, "after Theorem 1", "Any dilation: the heads' shifts are multiplied by it."}},
	"stride":   {{paper, "after Theorem 1", "A stride is a fixed pooling after the layer."}},
	"general-gaussian": {{paper, "appendix", "Scores -½(δ - Δ)ᵀΣ⁻¹(δ - Δ), with an encoding of dimension five: " +
		"(δ₁, δ₂, δ₁², δ₂², δ₁δ₂)."}},
	"zero-padding": {{paper, "after Lemma 1", "A convolution without padding shrinks the image by K - 1 pixels. " +
		"Padding the input by ⌊K/2⌋ zeros on each side makes both equal."}},
	"one-head": {{notes, "section 5 and its exercise", "One head with weights a_δ of the shifts in a window gives " +
		"y_q = Σ_δ a_δ·V·p_{q+δ}. With specially chosen weights it is y_q = w₋₁·p_{q-1} + w₀·p_q + w₁·p_{q+1}."}},
	"local-and-global": {{notes, "sections 3 and 4 of its second part", "A window in which the weights depend only on " +
		"δ makes attention a standard convolution: convolution ⊂ local attention ⊂ global attention."}},
	"converse": {{notes, "second part", "Attention can be more than any convolution, because its weights may depend on " +
		"the content."}},
	"low-pass-layer": {{park, "abstract",
		"Multi-head self-attentions pass low frequencies, convolutions pass high ones."}},
	"masked-diagonal": {{lee, "locality self-attention", "The scores of a token with itself are masked by -∞."}},
	"patch-tokens": {{li, "main theorem", "One layer on patches, with relative encodings and enough heads, can perform " +
		"any convolution of the pixels."}},
	"dense-qk": {{article, "section on putting attention into perspective", "A fully-connected layer is multi-head " +
		"attention with Q·Kᵀ = W^V = I and h = N. The attention matrix is A = Q·Kᵀ, without a softmax, and W^O is " +
		"the layer's matrix."}},
	"flattened-window": {{article, "section on putting attention into perspective", "With h = k² heads, w_ij = 1 if " +
		"j = i ± (k² - 1)/2 and W^V = I, W^O is the kernel. We read it as one head for each j in between."}},
	"dominated": {{article, "section on queries, keys and values", "x₁ weighs most in y₁, because a vector's " +
		"dot product with itself tends to be the largest."}},
	"d-out": {{slides, "after Lemma 1", "Recommends D_out = N_h·D_h with W_h of D_h × D_h, to express D_h filters."}},
	"split-parameters": {
		{article, "section on multi-head attention", "Each of h heads has matrices of d × d_k/h, so the number of " +
			"parameters stays the same."},
		{vaswani, "section 3.2.2", "h heads of dimension d_model/h cost about as much as one whole head."},
	},
	"path-lengths": {
		{vaswani, "table 1", "Maximum path lengths O(1), O(n), O(n/k) and O(log_k n)."},
		{article, "notes at its end", "The same, without the O."},
	},
	"position-difference": {{notes, "section 4", "P_k - P_q is replaced by a vector r_δ, or something equivalent."}},
	"edge-detectors": {{article, "outline", "Asks whether detectors of edges at +45° and -45° could be one " +
		"channel, because attention changes its weights with the content."}},
	"disc": {{slides, "slide on Lemma 1's assumption",
		"Weights proportional to 1 where |(q - k) - τ| ≤ R, for every τ, also express a single convolution."}},
	"conv-shifts": {
		{slides, "second slide", "Conv(W, T_δX) = T_δConv(W, X), without a condition on borders."},
		{notes, "section 1", "The same W_δ for every q, so the output moves with the input."},
	},
	"conv-commute": {{slides, "second slide",
		"Conv(Conv(W′, W), X) = Conv(Conv(W, W′), X), without the condition of one channel."}},
	"conv-associate": {{slides, "second slide", "Conv(W′, Conv(W, X)) = Conv(Conv(W′, W), X)."}},
	"conv-fourier":   {{slides, "second slide", "The Fourier transform diagonalizes convolutions."}},
	"soft-dictionary": {{article, "section on the soft dictionary",
		"A lookup that mixes all values, each weighted by how well its key fits the query."}},
	"embedding": {{article, "notes at its end", "An embedding is a one-hot vector times a matrix, which picks " +
		"a row or a column."}},
	"scaled-variance": {
		{vaswani, "section 3.2.1", "If entries are independent with mean 0 and variance 1, q·k has variance d_k."},
		{article, "section on tempering", "Dividing by √d_k removes the influence of the dimension."},
	},
	"scaled-gradient": {
		{vaswani, "section 3.2.1", "Large scores push the softmax to where its gradient is small; 1/√d_k prevents it."},
		{article, "section on tempering", "The same."},
	},
	"causal": {{article, "notes at its end", "Scores above the diagonal are -∞, and zero after the softmax. A " +
		"one-dimensional convolution is made causal by padding one side."}},
	"downsampling": {
		{paper, "section 4 (invertible down-sampling)", "2 × 2 pixels are merged into one token, invertibly."},
		{slides, "slide on the experimental setup", "The same."},
	},
}
