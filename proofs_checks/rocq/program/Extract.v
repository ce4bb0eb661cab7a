(** The verified checker and implementation as OCaml. What stands here and in the two files of Rocq's library is part of what is trusted:
    integers are those of GMP, natural numbers are machine integers, texts are lists of characters. *)

From Coq Require Import ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatInt ExtrOcamlString ExtrOcamlChar.
From TPL Require Import ComputeReverse ComputeLeakage.

(* Lengths choose how many bits are kept, and roots are checked; no proof depends on them. *)
Extract Constant bit_length => "Lengths.bits".
Extract Constant rough_root => "Lengths.root".

Extraction "checker.ml" check describe known_kinds
  answer_loss answer_reverse answer_leakage decimals_hold number print_level print_rational.
