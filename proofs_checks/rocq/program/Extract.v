(** The verified checker and implementation as OCaml. What stands here and in the two files of
    Rocq's library is part of what is trusted: integers are those of GMP, natural numbers are machine
    integers, texts are lists of characters. *)

From Coq Require Import ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatInt.
From Coq Require Import ExtrOcamlString ExtrOcamlChar.
From TPL Require ComputeReverse ComputeSupremum ComputeTight.

(* Lengths choose how many bits are kept; roots and divisors are checked: no proof depends on them. *)
Extract Constant TPL.Texts.bit_length => "Lengths.bits".
Extract Constant TPL.Levels.rough_root => "Lengths.root".
Extract Constant TPL.CheckPoints.rough_divisor => "Lengths.divisor".

Extraction "checker.ml" TPL.Checker.check TPL.Printed.describe TPL.Printed.known_kinds
  TPL.ComputeLoss.answer_loss TPL.ComputeReverse.answer_reverse TPL.ComputeLeakage.answer_leakage
  TPL.ComputePieces.answer_function TPL.ComputeSupremum.answer_supremum
  TPL.ComputeLeakage.read_stream_of TPL.ComputeTight.answer_tight TPL.ComputeSupremum.reduced
  TPL.ComputeLoss.decimals_hold TPL.Texts.number TPL.Printed.print_level
  TPL.Printed.print_rational.
