# Privacy loss and leakage on the contract's wire, in R with jsonlite: a starter.
#
#     tploracle conform --lenient -- Rscript leakage.R
#
# It is sent valid questions only (--lenient), doubles in hexadecimal: sprintf("%a") writes them. as.numeric reads them
# exactly, but takes the least ones for 0, and decimals it may read an ulp off. The mathematics is that of
# docs/implementers.md: search as you like, then prove, with every rounding upwards.

U <- 2^-53

# The mathematics

up <- function(x, units = 0) ifelse(x > 0, x * (1 + (units + 4) * U) + 2^-1074, 0)

# L where e^alpha overflows: e^L is at most the greatest q/d, or q e^alpha where d is 0.
beyond <- function(matrix, alpha) {
  ratio <- alone <- 0
  for (i in seq_len(nrow(matrix))) {
    none <- matrix[i, ] == 0
    alone <- max(alone, rowSums(matrix[, none, drop = FALSE]))
    ratio <- max(ratio, (t(matrix[, !none, drop = FALSE]) - matrix[i, !none]) / matrix[i, !none])
  }
  reach <- if (alone > 0) up(alpha + log(min(1, up(alone, nrow(matrix)))), 16) else 0
  max(reach, up(log1p(ratio * (1 + 8 * U)), 8))
}

loss <- function(matrix, alpha) {
  if (alpha > 700) return(min(alpha, beyond(matrix, alpha)))
  n <- nrow(matrix)
  excess <- expm1(alpha) * (1 + 10 * U)
  mu <- 0
  for (attempt in 0:99) {
    best <- c(0, 0, 0)
    for (i in seq_len(n)) {
      d <- matrix[i, ]
      gaps <- pmax(t(matrix) - d, 0) * (1 + 4 * U)  # a column for each row q
      terms <- pmax(gaps - d * (mu * (1 - 8 * U)), 0)
      q <- which.max(colSums(terms))
      chosen <- terms[, q] > 0
      if (sum(terms[, q]) > best[1]) best <- c(sum(terms[, q]), sum(gaps[chosen, q]), sum(d[chosen]))
    }
    if (alpha <= 2^-60) return(min(alpha, up(best[1], n) * alpha * (1 + 4 * U) + 2^-1074 * (best[1] > 0)))
    if (up(best[1] * excess, n + 8) <= mu) return(min(alpha, up(log1p(mu), 8)))
    mu <- best[2] / (best[3] + 1 / excess) * (1 + (n + 40 + 2 * attempt) * U)
  }
  alpha
}

step <- function(matrix, epsilon, before) if (is.null(matrix)) epsilon else up(epsilon + loss(matrix, before))

# The wire

numbers <- function(texts) {
  parts <- strsplit(unlist(texts), "p")
  power <- as.integer(sapply(parts, `[`, 2))
  as.numeric(paste0(sapply(parts, `[`, 1), "p0")) * 2^pmax(power, -1000) * 2^pmin(power + 1000, 0)
}

read_matrix <- function(rows) if (is.null(rows)) NULL else do.call(rbind, lapply(rows, numbers))
text <- function(level) sprintf("%a", level)

leakage <- function(input) {
  epsilons <- numbers(input$epsilons)
  backward <- read_matrix(input$backward)
  forward <- read_matrix(input$forward)
  bpl <- fpl <- tpl <- epsilons
  last <- length(epsilons)
  for (t in seq_len(last)[-1]) bpl[t] <- step(backward, epsilons[t], bpl[t - 1])
  for (t in rev(seq_len(last - 1))) fpl[t] <- step(forward, epsilons[t], fpl[t + 1])
  for (t in seq_len(last)) tpl[t] <- if (t < last) step(forward, bpl[t], fpl[t + 1]) else bpl[t]
  lapply(list(bpl = bpl, fpl = fpl, tpl = tpl), function(levels) lapply(levels, text))
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) == 1) {
  request <- jsonlite::fromJSON(line, simplifyVector = FALSE)
  if (request$op == "stop") break
  answer <- if (request$op == "start") {
    list(name = "leakage.R", version = "1", operations = c("loss", "leakage"),
         numbers = list("float64"), domain = list(states = 40, releases = 100, level = "700"))
  } else if (request$op == "loss") {
    list(seq = request$seq, value = text(loss(read_matrix(request$input$matrix), numbers(request$input$alpha))))
  } else {
    list(seq = request$seq, value = leakage(request$input))
  }
  cat(jsonlite::toJSON(answer, auto_unbox = TRUE), "\n", sep = "")
  flush(stdout())  # a pipe is buffered: without this nothing arrives
}
