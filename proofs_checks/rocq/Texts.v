(** Reading the fields of a certificate: numbers and levels in their written forms, arrays,
    subsets. Its input is a JSON value; what is beyond a limit is not decided, what does not fit is
    rejected. *)

From TPL Require Export Claims.
From Coq Require Export Ascii.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** A JSON value. Other: true, false, and numbers that are not integers. *)
Inductive json :=
| Text (s : string)
| Integer (z : Z)
| Items (items : list json)
| Fields (fields : list (string * json))
| Null
| Other.

(** What comes of reading or checking: something; or where it failed, and why. *)
Inductive result (A : Type) :=
| Done (a : A)
| Rejected (path why : string)
| Undecided (path why : string).
Arguments Done {A}.
Arguments Rejected {A}.
Arguments Undecided {A}.

Definition bind {A B} (r : result A) (f : A -> result B) : result B :=
  match r with Done a => f a | Rejected p w => Rejected p w | Undecided p w => Undecided p w end.
Notation "'let!' x ':=' r 'in' f" := (bind r (fun x => f)) (at level 200, x pattern,
  r at level 100, f at level 200).
Definition require (condition : bool) (why : string) : result unit := if condition then Done tt
  else Rejected "" why.
Definition within_limit (condition : bool) (why : string) : result unit := if condition
  then Done tt else Undecided "" why.
Definition inside {A} (path : string) (r : result A) : result A :=
  match r with
  | Done a => Done a
  | Rejected p w => Rejected (path ++ p) w
  | Undecided p w => Undecided (path ++ p) w
  end.

(** ** Powers and decimals *)

Fixpoint power (x n : positive) : positive :=
  match n with
  | xH => x
  | xO m => let y := power x m in Pos.mul y y
  | xI m => let y := power x m in Pos.mul x (Pos.mul y y)
  end.
Definition power_of (x : positive) (n : Z) : positive := match n with Zpos m => power x m | _ =>
  xH end.

Definition digit (c : ascii) : option Z :=
  if Ascii.eqb c "0" then Some 0 else if Ascii.eqb c "1" then Some 1 else if Ascii.eqb c "2"
    then Some 2
  else if Ascii.eqb c "3" then Some 3 else if Ascii.eqb c "4" then Some 4 else if Ascii.eqb c "5"
    then Some 5
  else if Ascii.eqb c "6" then Some 6 else if Ascii.eqb c "7" then Some 7 else if Ascii.eqb c "8"
    then Some 8
  else if Ascii.eqb c "9" then Some 9 else None.

(** The digits that a text begins with: their value after those before, how many they are, and the
    rest. *)
Fixpoint digits_of (s : string) (before count : Z) : Z * Z * string :=
  match s with
  | EmptyString => (before, count, s)
  | String c rest =>
      match digit c with
      | Some z => digits_of rest (10 * before + z) (count + 1)
      | None => (before, count, s)
      end
  end.

(** The decimal of a number that is not negative; fuel is at least the number of its digits. *)
Fixpoint decimal_before (fuel : nat) (z : Z) (after : string) : string :=
  match fuel with
  | O => after
  | S f =>
      let c := ascii_of_nat (48 + Z.to_nat (z mod 10)) in
      if z <? 10 then String c after else decimal_before f (z / 10) (String c after)
  end.
Definition bit_length (z : Z) : Z := if z <=? 0 then 0 else Z.log2 z + 1.
Definition decimal (z : Z) : string :=
  if z <? 0 then "-" ++ decimal_before (Z.to_nat (bit_length (- z) / 3 + 1)) (- z) ""
  else decimal_before (Z.to_nat (bit_length z / 3 + 1)) z "".

(** ** Numbers and levels *)

Fixpoint after_prefix (prefix s : string) : option string :=
  match prefix, s with
  | EmptyString, _ => Some s
  | String a p, String b t => if Ascii.eqb a b then after_prefix p t else None
  | _, _ => None
  end.

Definition most_length := 20000.
Definition most_exponent := 1000000.
Definition most_level := 2000000.

Definition not_a_number {A} : result A :=
  Rejected "" "a number as in 3/7, 2, 0.1 or 1e-3 is expected".

(** The exponent at the end of a decimal. *)
Definition exponent (most : Z) (s : string) : result Z :=
  match s with
  | EmptyString => Done 0
  | String e t =>
      if Ascii.eqb e "e" || Ascii.eqb e "E" then
        let minus := match t with String c _ => Ascii.eqb c "-" | EmptyString => false end in
        let unsigned := match t with
          | String c u => if Ascii.eqb c "-" || Ascii.eqb c "+" then u else t
          | EmptyString => t
          end in
        let '(z, count, rest) := digits_of unsigned 0 0 in
        if (count =? 0) || negb (String.eqb rest "") then not_a_number
        else if most <? z then Undecided "" "an exponent is too great" else Done (if minus then - z
          else z)
      else not_a_number
  end.

Definition number_of (most : Z) (s : string) : result rational :=
  let '(whole, count, rest) := digits_of s 0 0 in
  if count =? 0 then not_a_number else
  match after_prefix "/" rest with
  | Some t =>
      let '(below, count', rest') := digits_of t 0 0 in
      if (count' =? 0) || negb (String.eqb rest' "") then not_a_number else
      match below with Zpos d => Done (whole, d) | _ => Rejected "" "division by zero" end
  | None =>
      let '(digits, places, rest') :=
        match after_prefix "." rest with Some t => digits_of t whole 0 | None => (whole, 0, rest)
          end in
      if (places =? 0) && match after_prefix "." rest with Some _ => true | None => false end
        then not_a_number else
      let! e := exponent most rest' in
      let shift := e - places in
      Done (digits * Zpos (power_of 10 shift), power_of 10 (- shift))
  end.

Definition text (j : json) : result string :=
  match j with
  | Text s =>
      if most_length <? Z.of_nat (String.length s) then Undecided "" "a text is too long"
        else Done s
  | _ => Rejected "" "a text is expected"
  end.

Definition number (j : json) : result rational := let! s := text j in number_of most_length s.

(** (p + sqrt(n))/c, p + sqrt(n) or sqrt(n)/c; p and its sign, the brackets and c may be absent as
    there. *)
Definition surd_of (s : string) : option written_level :=
  let bracket := match after_prefix "(" s with Some _ => true | None => false end in
  let s := match after_prefix "(" s with Some t => t | None => s end in
  let negative := match after_prefix "-" s with Some _ => true | None => false end in
  let unsigned := match after_prefix "-" s with Some t => t | None => s end in
  let '(p, count, rest) := digits_of unsigned 0 0 in
  let signed := if negative then - p else p in
  let root :=
    if count =? 0 then if negative then None else Some (0, false, s)
    else match after_prefix "+" rest, after_prefix "-" rest with
      | Some t, _ => Some (signed, false, t)
      | _, Some t => Some (signed, true, t)
      | _, _ => None
      end in
  match root with
  | None => None
  | Some (p, minus, s) =>
      match after_prefix "sqrt(" s with
      | None => None
      | Some t =>
          let '(n, count_n, rest) := digits_of t 0 0 in
          if count_n =? 0 then None else
          match after_prefix (if bracket then "))/" else if count =? 0 then ")/" else "#") rest
            with
          | Some u =>
              let '(c, count_c, rest) := digits_of u 0 0 in
              if (count_c =? 0) || negb (String.eqb rest "") then None else Some (Log_surd p minus
                n c)
          | None => if negb bracket && String.eqb rest ")" then Some (Log_surd p minus n 1)
            else None
          end
      end
  end.

(** The text within "log(" and ")". *)
Fixpoint without_last (s : string) : option string :=
  match s with
  | EmptyString => None
  | String c EmptyString => if Ascii.eqb c ")" then Some "" else None
  | String c t => match without_last t with Some u => Some (String c u) | None => None end
  end.

Definition level_of (s : string) : result written_level :=
  if String.eqb s "inf" then Done Infinite else
  match (match after_prefix "log(" s with Some t => without_last t | None => None end) with
  | None =>
      let! x := number_of most_exponent s in
      let! _ := within_limit (fst x <? (most_level + 1) * Zpos (snd x)) "more than 2000000 nats" in
      Done (Nats x)
  | Some t =>
      match surd_of t with
      | Some l => Done l
      | None => let! x := number_of most_exponent t in Done (Log x)
      end
  end.

Definition written (j : json) : result written_level := let! s := text j in level_of s.

(** ** Arrays and objects *)

Definition most_states := 1000.
Definition most_steps := 10000.

Definition items (j : json) : result (list json) :=
  match j with Items l => Done l | _ => Rejected "" "an array is expected" end.

(** An array of at least 1 item. *)
Definition some_items (most : Z) (j : json) : result (list json) :=
  let! l := items j in
  let! _ := within_limit (Z.of_nat (List.length l) <=? most) "too many items" in
  let! _ := require (Nat.leb 1 (List.length l)) "an item is expected" in
  Done l.
Definition items_exactly (count : nat) (j : json) : result (list json) :=
  let! l := items j in
  let! _ := require (Nat.eqb (List.length l) count) "an array of another length is expected" in
  Done l.

(** Each item, in order; at is the number of the first. *)
Fixpoint each_from {A} (at_item : nat) (f : json -> result A) (l : list json) : result (list A) :=
  match l with
  | [] => Done []
  | j :: rest =>
      match f j with
      | Done a => let! others := each_from (S at_item) f rest in Done (a :: others)
      | failed =>
          let! a := inside ("[" ++ decimal (Z.of_nat at_item) ++ "]") failed in Done [a]
      end
  end.
Definition each {A} := @each_from A 1%nat.

Definition integer (least most : Z) (j : json) : result Z :=
  match j with
  | Integer z => if (least <=? z) && (z <=? most) then Done z else Rejected ""
    "an integer is out of its range"
  | _ => Rejected "" "an integer is expected"
  end.
(** More than the limit are not decided. *)
Definition integer_within (least most : Z) (what : string) (j : json) : result Z :=
  match j with
  | Integer z => if most <? z then Undecided "" ("more than " ++ decimal most ++ " " ++ what)
    else integer least most j
  | _ => integer least most j
  end.
Definition digits (j : json) : result Z := let! z := integer_within 1 1000 "digits" j in
  Done (128 + 4 * z).

(** A square matrix, as it is written; nothing is said yet of its sums. *)
Definition matrix (j : json) : result (list (list rational)) :=
  let! rows := some_items most_states j in
  each (fun row => let! entries := items_exactly (List.length rows) row in each number entries)
    rows.

(** Numbers from 1 to n that rise, counted from 0. *)
Fixpoint rising (least : Z) (l : list Z) : bool :=
  match l with [] => true | z :: rest => (least <=? z) && rising (z + 1) rest end.
Definition subset (n : nat) (j : json) : result (list Z) :=
  let! l := items j in
  let! _ := require (Nat.leb (List.length l) n) "too many columns" in
  let! columns := each (integer 1 (Z.of_nat n)) l in
  let! _ := require (rising 1 columns) "the columns are not in rising order" in
  Done (map (fun z => z - 1) columns).

(** Two rows of n, counted from 0; None for null. *)
Definition rows (n : nat) (j : json) : result (option (nat * nat)) :=
  match j with
  | Null => Done None
  | _ =>
      let! l := items_exactly 2 j in
      let! two := each (integer 1 (Z.of_nat n)) l in
      match two with
      | [j; k] => Done (Some (Z.to_nat (j - 1), Z.to_nat (k - 1)))
      | _ => Rejected "" "two rows are expected"
      end
  end.

(** The value of a key, which occurs once. *)
Fixpoint field (key : string) (l : list (string * json)) : result json :=
  match l with
  | [] => Rejected "" ("the key " ++ key ++ " is missing")
  | (k, j) :: rest => if String.eqb k key then Done j else field key rest
  end.
Fixpoint repeats (l : list (string * json)) : bool :=
  match l with
  | [] => false
  | (k, _) :: rest => existsb (fun other => String.eqb (fst other) k) rest || repeats rest
  end.

(** The values of exactly these keys. *)
Definition fields (keys : list string) (j : json) : result (list json) :=
  match j with
  | Fields l =>
      let! _ := require (Nat.eqb (List.length l) (List.length keys) && negb (repeats l))
        "other keys are expected" in
      (fix go keys := match keys with
        | [] => Done []
        | k :: rest => let! j := field k l in let! others := go rest in Done (j :: others)
        end) keys
  | _ => Rejected "" "an object is expected"
  end.
