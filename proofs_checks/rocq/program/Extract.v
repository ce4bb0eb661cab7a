(** The verified checker and implementation as OCaml. What stands here and in the two files of
    Rocq's library is part of what is trusted: integers are those of GMP, natural numbers are machine
    integers, texts are lists of characters. *)

From Coq Require Import ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatInt.
From Coq Require Import ExtrOcamlString ExtrOcamlChar.
From TPL Require Import ComputeReverse ComputeSupremum ComputeTight.

(* Lengths choose how many bits are kept; roots and divisors are checked: no proof depends on them. *)
Extract Constant bit_length => "Lengths.bits".
Extract Constant rough_root => "Lengths.root".
Extract Constant rough_divisor => "Lengths.divisor".

Extraction "checker.ml" check describe known_kinds
  answer_loss answer_reverse answer_leakage answer_function answer_supremum
  read_stream_of answer_tight reduced decimals_hold number print_level print_rational.
