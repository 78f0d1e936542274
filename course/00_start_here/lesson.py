# %% [markdown]
# # 00 · Start here
#
# After this page you can
#
# - say what this course builds, in which order, and how long a chapter takes,
# - run a cell, read an error and find out which line it speaks of,
# - look up every symbol that the chapters use.
#
# **Time:** about 20 minutes. **Needs:** Python, and nothing else.
#
# ## 1. Where this leads
#
# At the end of the course stands a program that has read Python's own documentation and writes on where a text breaks
# off. It is small, and yours: you will have built every part of it. Here it is, already trained. It reads a few words,
# and says for every token of its vocabulary how likely it is to come next.

# %%
from matplotlib.figure import Figure

import ddl
from ddl.course import check, hint, show
from ddl.widgets import play, sample

sample(text="If the file does not")

# %% [markdown]
# Pick one of the tokens, and it goes on from there. Move the temperature: near 0 it always takes the likeliest token,
# far above 1 it takes nearly any. Chapter 10 builds these sliders, chapter 14 trains the model.
#
# ## 2. The way there
#
# Everything grows out of one number that remembers how it was made.

# %%
STEPS = ["number", "neuron", "tensor", "graph", "layer", "training", "stable"]
STEPS += ["image", "fast", "text", "attention", "place", "block", "decoder"]

figure = Figure((7, 3.4), layout="constrained")
axes = figure.subplots()
for n, word in enumerate(STEPS, 1):
    axes.bar(n, n, width=0.92, color="#00588a" if n % 2 else "#3f7fa6")
    axes.text(n, n + 0.25, word, ha="right", va="bottom", rotation=-28, fontsize=9)
axes.set(xticks=range(1, 15), yticks=[], xlabel="chapter", xlim=(-0.6, 14.7), ylim=(0, 18.5))
axes.spines[["top", "left", "right"]].set_visible(False)
show(figure, alt="Fourteen steps of a stair, a chapter each: " + ", ".join(STEPS) + ".")

# %% [markdown]
# | | chapter | you build |
# |---|---|---|
# | 01 | One number at a time | a number that knows how fast a result moves with it |
# | 02 | Neurons | a perceptron, what it cannot do, and a network that can |
# | 03 | From numbers to tensors | arrays, broadcasting, and operations of two functions |
# | 04 | The graph itself | a record of a computation, checked before there is data |
# | 05 | Layers that own their parameters | modules, and how large weights should start |
# | 06 | Learning | losses, optimizers from SGD to AdamW, the training loop |
# | 07 | Numbers that misbehave | stable softmax, layer normalisation, gradients that vanish |
# | 08 | Looking at images | convolution, pooling, a network that reads digits |
# | 09 | A faster machine | memory layout, fusing, the graphics card |
# | 10 | Text becomes numbers | a tokenizer, a bigram model, sampling |
# | 11 | Attention | attention with its masks, heads and backward |
# | 12 | Where am I? | positions: learned, sinusoidal, rotary, ALiBi |
# | 13 | The block | the transformer's block, and how gradients flow through many |
# | 14 | A GPT-2 decoder | the model above, trained on real text |
#
# Most chapters take one to two hours. Each can be read alone if you know what its first lines ask for, and each goes
# the same way: a question, a guess, a picture, the formula, the code; then the piece you built is checked, tried in a
# small training run, and replaced by the library's own, which does the same. Somewhere on the way there is a bug that
# trains anyway. Finding it is the best part.
#
# ## 3. Cells
#
# A notebook is a row of cells. Click into the one below and press **Shift + Enter**: it runs, and its last value
# appears. Cells share what they define, in the order in which you *run* them, not in the order on the page. When in
# doubt choose *Run > Restart Kernel and Run All Cells*.

# Where a line says **Predict**, write down what you expect before you run the next cell. It is the cheapest way to
# learn that there is.
#
# **Predict.** Let $y = (a + b)\,b$ with $a = 2$ and $b = 3$. When $b$ moves a little, how many times as far does $y$
# move: 3, 5 or 8?

# %%
a, b = ddl.Scalar(2.0, "a"), ddl.Scalar(3.0, "b")
y = (a + b) * b
y.name = "y"
play(y)

# %% [markdown]
# That is a widget: press its buttons, or click into it and use the arrow keys. It computes $y$ from left to right, and
# then how fast $y$ moves with each number, from right to left. It goes on working when the kernel is gone. Under *In
# words* it says the same as text.
#
# The answer is in the box of $b$: 8. One path, through the sum, gives 3; the other, straight into the product, gives
# 5; and they add. Chapter 01 takes its time over that.
#
# ## 4. Errors are for reading
#
# Nothing breaks when a cell fails. Read an error from its **last line** upwards: the last line says what is wrong, and
# the line with an arrow in front is the one of yours that it speaks of.

# %% tags=["raises-exception"]
ddl.Scalar(2.0) / (a - 2)

# %% [markdown]
# What was asked, what was given, what to do: our own errors try to say all three. When one does not help you, that is
# a fault of ours.
#
# ## 5. Exercises
#
# Each chapter has a notebook of exercises. You fill in a cell, and the next one checks it. Let us get one wrong. The
# task: return the slope of $a \cdot b$ in $a$, then its slope in $b$.


# %%
def product_slopes(a, b):
    return a, b


check("01.product", product_slopes)

# %% [markdown]
# It shows the first input that failed, what was expected and what came; and where it knows the mistake, it says its
# name. There are three hints for each exercise, and they cost nothing.

# %%
hint("01.product", 1)

# %% [markdown]
# ## 6. Symbols
#
# The same letter means the same in every chapter.
#
# | symbol | in code | means |
# |---|---|---|
# | $x$, $y$ | `x`, `y` | inputs and results; $\hat y$ is a prediction |
# | $w$, $W$, $b$ | `w`, `weight`, `bias` | weights and biases: what is learned |
# | $L$ | `loss` | how wrong a model is, one number |
# | $g$ | `g`, `x.grad` | the gradient that comes back: how fast $L$ moves with a number |
# | $\eta$ | `lr` | the learning rate: the size of a step |
# | $B$, $T$ | `B`, `T` | examples in a batch, tokens in a text |
# | $C$, $H$, $D$ | `C`, `H`, `D` | channels (the width of a layer), heads, the width of a head |
# | $V$ | `V` | tokens in the vocabulary |
# | $q$, $k$, $v$ | `q`, `k`, `v` | query, key and value of attention |
# | $\mu$, $\sigma$ | `mean`, `std` | mean and standard deviation |
# | $\odot$ | `*` | number by number |
# | $A B$ | `A @ B` | matrix product |
# | | `# (B, T, C)` | the shape of what stands on this line |
#
# ## Recap
#
# 1. The course climbs from one number to a language model, and you build each step.
# 2. Predict, run, compare; read errors from the last line upwards.
# 3. Exercises answer in words, and hints come in three steps.
#
# ## Go deeper
#
# - I. Goodfellow, Y. Bengio and A. Courville (2016), *Deep Learning*: the theory, at length.
# - C. M. Bishop and H. Bishop (2024), *Deep Learning: Foundations and Concepts*: the same, newer, with the probability.
# - A. Griewank and A. Walther (2008), *Evaluating Derivatives*: how machines differentiate.
#
# **Next:** [01 · One number at a time](01_one_number.ipynb). How fast does a result move?
