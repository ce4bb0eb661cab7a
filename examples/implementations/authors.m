% The programs of the paper's authors on the contract's wire, in Octave: none of their code is here.
%
%     tploracle conform --lenient -- octave-cli --no-init-file --quiet authors.m FOLDER thm
%
% FOLDER is a checkout of github.com/brahms2013/TPL or yangcao888/ConTPL. The second word says by which of their
% functions L is computed: thm, precomp or func. docs/implementations.md has what was found. Two functions stand in
% for what Octave lacks, with the same results: a compiled file for macOS, and an option of MATLAB's sort.

1;  % a script that begins with a function would be a function file

function pairs = VChooseK(values, k)
  pairs = nchoosek(double(values), k);
end

function [m1, m2] = sortRatioM1M2_DES(m1, m2)
  ratio = m1 ./ m2; ratio(isnan(ratio)) = -Inf;  % 0/0 comes last
  [~, order] = sort(ratio, 2, "descend");
  place = (order - 1) * rows(m1) + (1:rows(m1))';
  m1 = m1(place); m2 = m2(place);
end

function level = loss(P, alpha, way)
  if rows(P) < 2, level = 0; return; end
  if strcmp(way, "thm"), level = calcPLbyThm(P, alpha); return; end
  [steps, qs, ds] = preCompQDMatrix(P);
  if strcmp(way, "precomp"), level = calcPLbyPreComp(alpha, steps, qs, ds); return; end
  [ends, q, d] = genLFunc(0, alpha, steps, qs, ds);
  level = calcPLbyFunc(alpha, ends, q, d);
end

function level = supremum(P, epsilon)
  if rows(P) < 2, level = epsilon; return; end
  [~, qs, ds, chosen] = preCompQDMatrix(P);
  level = findSup(P, epsilon, qs, ds, chosen);
end

function levels = chained(P, epsilons, way)
  levels = epsilons;
  for t = 2:numel(levels) * ~isempty(P), levels(t) = loss(P, levels(t - 1), way) + epsilons(t); end
end

function P = read_matrix(input, key)
  P = [];
  if isfield(input, key), P = cell2mat(cellfun(@(row) str2double(row)(:)', input.(key), "UniformOutput", false)); end
end

function text = number(level)
  if isempty(level) || ischar(level), error("the program gives %s", disp(level)); end
  text = lower(sprintf('"%.17g"', level));
end

function text = array(levels)
  text = ["[" strjoin(arrayfun(@number, levels, "UniformOutput", false), ", ") "]"];
end

function value = answer_to(op, input, way)
  switch op
    case "loss"
      value = number(loss(read_matrix(input, "matrix"), str2double(input.alpha), way));
    case "supremum"
      value = number(supremum(read_matrix(input, "matrix"), str2double(input.epsilon)));
    case "control"
      value = number(conBPL(str2double(input.previous), read_matrix(input, "matrix"), str2double(input.cap)));
    case "leakage"
      epsilons = str2double(input.epsilons(:))';
      bpl = chained(read_matrix(input, "backward"), epsilons, way);
      fpl = fliplr(chained(read_matrix(input, "forward"), fliplr(epsilons), way));
      value = sprintf('{"bpl": %s, "fpl": %s, "tpl": %s}', array(bpl), array(fpl), array(bpl + fpl - epsilons));
  end
end

[folder, way] = argv(){end - 1:end};
warning("off", "all");
addpath(folder, fullfile(folder, "tools"));
cd(folder);
operations = '"loss", "leakage", "supremum"';
if exist("conBPL", "file"), operations = [operations ', "control"']; end
if strcmp(way, "thm") && ~exist("calcPLbyThm", "file"), error("there is no calcPLbyThm in %s", folder); end
while true
  request = jsondecode(input("", "s"));
  if strcmp(request.op, "stop"), break; end
  if strcmp(request.op, "start")
    answer = ['"name": "' way '", "version": "1", "operations": [' operations '], "numbers": ["decimal64"], ' ...
              '"domain": {"states": 20, "releases": 50, "level": "30"}'];
  else
    try
      answer = sprintf('"seq": %d, "value": %s', request.seq, answer_to(request.op, request.input, way));
    catch problem
      answer = sprintf('"seq": %d, "error": {"name": "Failure", "message": %s}', request.seq, jsonencode(problem.message));
    end
  end
  printf("{%s}\n", answer);
  fflush(stdout);
end
