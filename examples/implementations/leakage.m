% Privacy loss and leakage on the contract's wire, in Octave: a starter.
%
%     tploracle conform --lenient -- octave-cli --no-init-file --quiet leakage.m
%
% It is sent valid questions only (--lenient), doubles in decimal, which str2double reads and %.17g writes. The
% mathematics is that of docs/implementers.md: search as you like, then prove, with every rounding upwards.

1;  % a script that begins with a function would be a function file

% The mathematics

function y = up(x, units)
  y = 0;
  if x > 0, y = x * (1 + (units + 2) * 2^-53); y = y + eps(y); end  % eps is the distance to the next double
end

% L where e^alpha overflows: e^L is at most the greatest q/d, or q e^alpha where d is 0.
function level = beyond(P, alpha)
  ratio = 0; alone = 0; reach = 0;
  for i = 1:size(P, 1)
    none = P(i, :) == 0;
    alone = max([alone; sum(P(:, none), 2)]);
    ratio = max([ratio; max((P(:, ~none) - P(i, ~none)) ./ P(i, ~none), [], 2)]);
  end
  if alone > 0, reach = up(alpha + log(min(1, up(alone, size(P, 1)))), 16); end
  level = max(reach, up(log1p(ratio * (1 + 8 * 2^-53)), 8));
end

function level = loss(P, alpha)
  n = size(P, 1); level = alpha;
  if alpha > 700, level = min(alpha, beyond(P, alpha)); return; end
  excess = expm1(alpha) * (1 + 10 * 2^-53); mu = 0;
  for attempt = 0:99
    best = [0 0 0];
    for i = 1:n
      gaps = max(P - P(i, :), 0) * (1 + 4 * 2^-53);
      terms = max(gaps - P(i, :) * (mu * (1 - 8 * 2^-53)), 0);
      [height, q] = max(sum(terms, 2));
      chosen = terms(q, :) > 0;
      if height > best(1), best = [height, sum(gaps(q, chosen)), sum(P(i, chosen))]; end
    end
    if alpha <= 2^-60, y = up(best(1), n) * alpha; level = min(alpha, y + eps(y) * (best(1) > 0)); return; end
    if up(best(1) * excess, n + 8) <= mu, level = min(alpha, up(log1p(mu), 8)); return; end
    mu = best(2) / (best(3) + 1 / excess) * (1 + (n + 40 + 2 * attempt) * 2^-53);
  end
end

function level = step(P, epsilon, before)
  level = epsilon;
  if ~isempty(P), level = up(epsilon + loss(P, before), 0); end
end

% The wire

function P = read_matrix(input, key)
  P = [];
  if isfield(input, key), P = cell2mat(cellfun(@(row) str2double(row)(:)', input.(key), "UniformOutput", false)); end
end

function text = array(levels)
  text = ["[" strjoin(arrayfun(@(x) sprintf('"%.17g"', x), levels, "UniformOutput", false), ", ") "]"];
end

function value = over_time(input)
  epsilons = str2double(input.epsilons(:))'; last = numel(epsilons);
  backward = read_matrix(input, "backward"); forward = read_matrix(input, "forward");
  bpl = epsilons; fpl = epsilons;
  for t = 2:last, bpl(t) = step(backward, epsilons(t), bpl(t - 1)); end
  for t = last - 1:-1:1, fpl(t) = step(forward, epsilons(t), fpl(t + 1)); end
  tpl = bpl;
  for t = 1:last - 1, tpl(t) = step(forward, bpl(t), fpl(t + 1)); end
  value = sprintf('{"bpl": %s, "fpl": %s, "tpl": %s}', array(bpl), array(fpl), array(tpl));
end

while true
  request = jsondecode(input("", "s"));  % fgetl(stdin) would wait for a byte beyond the line
  if strcmp(request.op, "stop"), break; end
  if strcmp(request.op, "start")
    answer = ['"name": "leakage.m", "version": "1", "operations": ["loss", "leakage"], "numbers": ["decimal64"], ' ...
              '"domain": {"states": 40, "releases": 100, "level": "700"}'];
  elseif strcmp(request.op, "loss")
    level = loss(read_matrix(request.input, "matrix"), str2double(request.input.alpha));
    answer = sprintf('"seq": %d, "value": "%.17g"', request.seq, level);
  else
    answer = sprintf('"seq": %d, "value": %s', request.seq, over_time(request.input));
  end
  printf("{%s}\n", answer);
  fflush(stdout);  % a pipe is buffered: without this nothing arrives
end
