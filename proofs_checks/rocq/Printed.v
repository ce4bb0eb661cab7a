(** A claim in words, with every number in it: what the verified checker says that it has
    understood. Each function takes what is printed after. *)

From TPL Require Export Checker.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** Beyond this many bits only their number is printed: the digits of such an integer take minutes.
    *)
Definition most_printed := 100000.

Definition print_integer (z : Z) (after : string) : string :=
  if most_printed <? bit_length (Z.abs z) then "(an integer of " ++ decimal (bit_length (Z.abs z))
    ++ " bits)" ++ after else
  let digits := fun z => decimal_before (Z.to_nat (bit_length z / 3 + 1)) z after in
  if z <? 0 then String "-" (digits (- z)) else digits z.

Definition print_rational (x : rational) (after : string) : string :=
  let divisor := if most_printed <? bit_length (fst x) + bit_length (Zpos (snd x)) then 1
    else common_divisor (Z.to_nat (2 * bit_length (Zpos (snd x)) + 2)) (fst x) (Zpos (snd x)) in
  let d := Zpos (snd x) / divisor in
  print_integer (fst x / divisor) (if d =? 1 then after else String "/" (print_integer d after)).

Definition print_level (l : written_level) (after : string) : string :=
  match l with
  | Nats x => print_rational x after
  | Log x => "log(" ++ print_rational x (")" ++ after)
  | Log_surd p minus n c =>
      "log((" ++ print_integer p ((if minus then "-" else "+") ++ "sqrt(" ++
        print_integer n ("))/" ++ print_integer c (")" ++ after)))
  | Infinite => "inf" ++ after
  end.

Fixpoint print_list {A} (print : A -> string -> string) (l : list A) (after : string) : string :=
  match l with
  | [] => "]" ++ after
  | [x] => print x ("]" ++ after)
  | x :: rest => print x (", " ++ print_list print rest after)
  end.
Definition print_row (row : list rational) (after : string) : string := "[" ++
  print_list print_rational row after.
Definition print_matrix (rows : list (list rational)) (after : string) : string := "[" ++
  print_list print_row rows after.

Definition print_between (bounds : written_level * written_level) (name after : string) : string :=
  print_level (fst bounds) (" <= " ++ name ++ " <= " ++ print_level (snd bounds) after).

Definition print_piece (p : written_piece) (after : string) : string :=
  let '((q, d), (from, to)) := p in
  "[" ++ print_rational q (", " ++ print_rational d (", " ++ print_level from (", " ++
    print_level to ("]" ++ after)))).

Definition print_correlation (rows : list (list rational)) (after : string) : string :=
  match rows with [] => "not known" ++ after | _ => print_matrix rows after end.

(** The bounds at each time, counted from 1. *)
Fixpoint print_times (name : string) (t : Z) (all : list (list (written_level * written_level)))
  (after : string) : string :=
  match all with
  | [] => after
  | bounds :: rest =>
      let named := name ++ "_" ++ print_integer t "" in
      (fix go (l : list (written_level * written_level)) (after : string) := match l with
        | [] => after
        | b :: l' => print_between b named ("; " ++ go l' after)
        end) bounds (print_times name (t + 1) rest after)
  end.
Definition print_steps (name : string)
  (steps : list ((written_level * written_level) * (written_level * written_level) * (written_level
    * written_level)))
  (after : string) : string :=
  print_times name 1 (map (fun step => let '(_, b, d) := step in [b; d]) steps) (
  print_times ("the loss in " ++ name) 1 (map (fun step => let '(a, _, _) := step in [a]) steps)
    after).

(** The members of a set, counted from 1. *)
Fixpoint members (at_value : Z) (listed : list bool) : list Z :=
  match listed with
  | [] => []
  | b :: rest => if b then at_value :: members (at_value + 1) rest else members (at_value + 1) rest
  end.
Definition print_set (listed : list bool) (after : string) : string := "[" ++
  print_list print_integer (members 1 listed) after.

Definition print_steps_of (k : correlation) (after : string) : string :=
  match k with
  | Constant P => print_correlation P after
  | Steps Ps => "those of the steps, [" ++ print_list print_matrix Ps after
  | Cycle Ps => "those of the steps, again and again [" ++ print_list print_matrix Ps after
  end.

Definition side (B F : correlation) : string :=
  match values_in B, values_in F with
  | O, O => "a leakage" | _, O => "a BPL" | O, _ => "an FPL" | _, _ => "a TPL"
  end.
Definition of_which_steps (B F : correlation) : string := ", if " ++ about_steps B F ++ ", ".
Definition assuming (B F : correlation) : string :=
  of_which_steps B F ++ "and mechanisms after a time do not depend on earlier outputs".

Definition print_chain (one : written_chain) (after : string) : string :=
  let '(p, (B, F)) := one in
  "[stationary = " ++ print_row p (", backward = " ++ print_matrix B (", forward = " ++
    print_matrix F ("]" ++ after))).
Definition print_mixture (prior : list rational) (chains : list written_chain) (epsilons :
  list written_level) : string :=
  ", for an adversary who does not know which of the chains it is, if " ++ every_step ++
  ", and " ++ in_steady_state ++ "; epsilons = [" ++ print_list print_level epsilons (
  "; prior = " ++ print_row prior ("; chains = [" ++ print_list print_chain chains "")).

Definition print_releases (P : list (list rational)) (epsilon : written_level) (own : rational)
  (releases : nat) (assumed : string) : string :=
  ", l^t being the last value where P is the backward matrix, the first where it is the " ++
  "forward one, if " ++ every_step ++ ", and " ++ assumed ++
  "; epsilon = " ++ print_level epsilon ("; delta_per_release = " ++ print_rational own (
  "; releases = " ++ print_integer (Z.of_nat releases) ("; P = " ++ print_matrix P ""))).

Definition describe (c : claim) : string :=
  match c with
  | Lfp_optimum q d alpha value solved =>
      "the greatest v = log(q x / d x) over all x " ++
        "whose entries are within e^alpha of one another: " ++
      print_between value "v" ((match solved with Some lambda => "; e^v = " ++
        print_rational lambda "" | None => "" end) ++
      "; alpha = " ++ print_level alpha ("; q = " ++ print_row q ("; d = " ++ print_row d "")))
  | Loss_function P pieces =>
      "the loss function L of P: e^L(alpha) = (q E + 1)/(d E + 1) with E = e^alpha - 1, " ++
        "where [q, d, from, to] is one of [" ++
      print_list print_piece pieces (", from <= alpha <= to; P = " ++ print_matrix P "")
  | Loss P alpha value decimals =>
      "the loss function L of P at alpha: " ++
      print_between value "L(alpha)" (", " ++ print_between decimals "L(alpha)" (
      "; alpha = " ++ print_level alpha ("; P = " ++ print_matrix P "")))
  | Bounded P epsilon bound decimals =>
      "with the budget epsilon at every time the leakage by the recursion is at most " ++
      print_level bound (", and " ++ print_level decimals (
      ", for ever; epsilon = " ++ print_level epsilon ("; P = " ++ print_matrix P "")))
  | Bounded_below P epsilon bound decimals =>
      "with the budget epsilon at every time " ++
        "the supremum of the leakage by the recursion is at least " ++
      print_level bound (", and " ++ print_level decimals (
      "; epsilon = " ++ print_level epsilon ("; P = " ++ print_matrix P "")))
  | Divergent P epsilon =>
      "with the budget epsilon at every time " ++
        "the leakage by the recursion grows without bound; epsilon = " ++
      print_level epsilon ("; P = " ++ print_matrix P "")
  | Leakage B F epsilons bpl fpl tpl =>
      "the leakage by the recursions: " ++
      print_steps "BPL" bpl (print_steps "FPL" fpl (print_times "TPL" 1 (map (fun b => [b]) tpl) (
      "epsilons = [" ++ print_list print_level epsilons ("; backward = " ++ print_steps_of B (
      "; forward = " ++ print_steps_of F "")))))
  | Tight_upper B F epsilons time level =>
      "no mechanisms with the budgets epsilons have " ++ side B F ++ " above " ++
      print_level level (match time with Some t => " at time " ++ print_integer (Z.of_nat t + 1)
        "" | None => " at any time" end ++
      assuming B F ++ "; epsilons = [" ++ print_list print_level epsilons ("; backward = " ++
        print_steps_of B ("; forward = " ++ print_steps_of F "")))
  | Tight_lower B F epsilons t j k level =>
      "some mechanisms with the budgets epsilons have " ++ side B F ++ " of at least " ++
      print_level level (" at time " ++ print_integer (Z.of_nat t + 1) (", about the values " ++
        print_integer (Z.of_nat j + 1) (
      " and " ++ print_integer (Z.of_nat k + 1)
        (of_which_steps B F ++ "both values can occur, " ++
      "and the matrices are those of one chain; epsilons = [" ++ print_list print_level epsilons (
      "; backward = " ++ print_steps_of B ("; forward = " ++ print_steps_of F ""))))))
  | Tight_forever B F epsilon level =>
      "no mechanisms with the budget epsilon at every time have " ++
        side (Constant B) (Constant F) ++ " above " ++
      print_level level (" at any time, however many releases there are" ++
      assuming (Constant B) (Constant F) ++
      "; epsilon = " ++ print_level epsilon ("; backward = " ++ print_correlation B (
      "; forward = " ++ print_correlation F "")))
  | Tight_divergent P epsilon sets =>
      "with the budget epsilon at every time mechanisms leak without bound, " ++
        "a BPL where P is the backward matrix, an FPL where it is " ++
      "the forward one, about values of the sets, if P is that of all steps, " ++
        "and these values can occur at all times; epsilon = " ++
      print_level epsilon ("; sets = [" ++ print_list print_set sets ("; P = " ++
        print_matrix P ""))
  | Mixture_upper prior chains epsilons t level =>
      "no stream with the budgets epsilons has a TPL above " ++ print_level level (" at time " ++
        print_integer (Z.of_nat t + 1) (print_mixture prior chains epsilons))
  | Mixture_lower prior chains epsilons t j k level =>
      "some mechanisms with the budgets epsilons have a TPL of at least " ++ print_level level (
        " at time " ++ print_integer (Z.of_nat t + 1) (", about the values " ++
        print_integer (Z.of_nat j + 1) (" and " ++ print_integer (Z.of_nat k + 1)
          (print_mixture prior chains epsilons))))
  | Profile_upper P epsilon own releases alpha delta =>
      "no stream of releases that are each (epsilon, delta_per_release)-private has a set of " ++
      "outputs with Pr(set | l^t = j) - e^alpha Pr(set | l^t = k) above " ++
      print_rational delta (", for alpha = " ++ print_level alpha
        (print_releases P epsilon own releases causal))
  | Profile_lower P epsilon own releases j k alpha delta =>
      "some releases that are each (epsilon, delta_per_release)-private have a set of outputs " ++
      "with Pr(set | l^t = j) - e^alpha Pr(set | l^t = k) of at least " ++
      print_rational delta (", for j = " ++ print_integer (Z.of_nat j + 1) (", k = " ++
        print_integer (Z.of_nat k + 1) (", alpha = " ++ print_level alpha
          (print_releases P epsilon own releases both_occur))))
  end.

(** The names of the kinds that are checked. *)
Definition known_kinds : list string := map fst kinds.
