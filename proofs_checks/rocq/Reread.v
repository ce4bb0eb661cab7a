(** What is printed of a number or a level is read as that number or level: so the claim in words
    has the numbers of the claim. *)

From TPL Require Export Printed.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** Integers whose digits are printed, not the number of their bits alone. *)
Definition printable (z : Z) : Prop := bit_length (Z.abs z) <= most_printed.

(** ** Integers *)

Lemma digit_read z : 0 <= z < 10 -> digit (ascii_of_nat (48 + Z.to_nat z)) = Some z.
Proof.
  intros H. assert (Hall : z = 0 \/ z = 1 \/ z = 2 \/ z = 3 \/ z = 4 \/ z = 5 \/ z = 6 \/ z = 7 \/
    z = 8 \/ z = 9) by lia.
  destruct Hall as [-> | [-> | [-> | [-> | [-> | [-> | [-> | [-> | [-> | ->]]]]]]]]]; reflexivity.
Qed.

Lemma decimal_step fuel z after : decimal_before (S fuel) z after =
  if z <? 10 then String (ascii_of_nat (48 + Z.to_nat (z mod 10))) after
  else decimal_before fuel (z / 10) (String (ascii_of_nat (48 + Z.to_nat (z mod 10))) after).
Proof. reflexivity. Qed.

Lemma decimal_read fuel z after : 0 <= z < 10 ^ Z.of_nat fuel -> (1 <= fuel)%nat -> exists k,
  1 <= k /\
  forall before count, digits_of (decimal_before fuel z after) before count = digits_of after
    (before * 10 ^ k + z) (count + k).
Proof.
  revert z after. induction fuel as [|fuel IH]; intros z after Hz Hf; [lia|]. rewrite decimal_step.
  pose proof (Z.mod_pos_bound z 10 ltac:(lia)) as Hm. pose proof (Z.div_mod z 10 ltac:(lia)) as Hd.
  destruct (Z.ltb_spec z 10).
  - exists 1. split; [lia|]. intros before count. cbn [digits_of].
    rewrite digit_read by assumption.
    rewrite Z.mod_small by lia. f_equal. lia.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hz by lia.
    destruct (IH (z / 10) (String (ascii_of_nat (48 + Z.to_nat (z mod 10))) after)) as [k [Hk E]].
    + split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia].
    + destruct fuel; [change (10 ^ Z.of_nat 0) with 1 in Hz; lia|lia].
    + exists (k + 1). split; [lia|]. intros before count. rewrite E. cbn [digits_of].
      rewrite digit_read by assumption.
      rewrite Z.pow_add_r by lia. f_equal; lia.
Qed.

Lemma bits_nonneg z : 0 <= bit_length z / 3.
Proof. apply Z.div_pos; [|lia]. unfold bit_length. destruct (z <=? 0); [lia|].
  pose proof (Z.log2_nonneg z). lia. Qed.

Lemma bits_enough z : 0 <= z -> z < 10 ^ (bit_length z / 3 + 1).
Proof.
  intros Hz. unfold bit_length. destruct (Z.leb_spec z 0); [change (10 ^ (0 / 3 + 1)) with 10;
    lia|].
  destruct (Z.log2_spec z ltac:(lia)) as [_ Hlog]. pose proof (Z.log2_nonneg z) as Hb.
    set (b := Z.log2 z) in *.
  eapply Z.lt_le_trans; [exact Hlog|]. pose proof (Z.div_mod (b + 1) 3 ltac:(lia)) as Hd.
    pose proof (Z.mod_pos_bound (b + 1) 3 ltac:(lia)).
  set (c := (b + 1) / 3) in *. apply Z.le_trans with (2 ^ (3 * (c + 1))); [apply Z.pow_le_mono_r;
    lia|].
  rewrite Z.pow_mul_r by lia. change (2 ^ 3) with 8. apply Z.pow_le_mono_l. lia.
Qed.

Lemma integer_read_again z after : 0 <= z -> printable z -> exists k, 1 <= k /\
  forall before count, digits_of (print_integer z after) before count = digits_of after
    (before * 10 ^ k + z) (count + k).
Proof.
  intros Hz Hp. unfold print_integer. unfold printable in Hp.
    destruct (Z.ltb_spec most_printed (bit_length (Z.abs z))); [lia|].
  destruct (Z.ltb_spec z 0); [lia|]. pose proof (bits_nonneg z). apply decimal_read; [|lia].
  rewrite Z2Nat.id by lia. split; [assumption|apply bits_enough; assumption].
Qed.

(** Where something that is no digit follows. *)
Definition ends (s : string) : Prop := match s with String c _ => digit c = None | EmptyString =>
  True end.

Lemma integer_at z after : 0 <= z -> printable z -> ends after -> exists k, 1 <= k /\
  digits_of (print_integer z after) 0 0 = (z, k, after).
Proof.
  intros Hz Hp He. destruct (integer_read_again z after Hz Hp) as [k [Hk E]]. exists k.
    split; [assumption|]. rewrite E.
  replace (0 * 10 ^ k + z) with z by lia. replace (0 + k) with k by lia.
  destruct after as [|c rest]; [reflexivity|]. cbn in He. cbn. rewrite He. reflexivity.
Qed.

(** ** Fractions *)

Lemma common_divisor_spec fuel a b : 0 <= a -> 0 <= b -> 0 < a \/ 0 < b ->
  0 < common_divisor fuel a b /\ (common_divisor fuel a b | a) /\ (common_divisor fuel a b | b).
Proof.
  revert a b. induction fuel as [|fuel IH]; intros a b Ha Hb Hab; cbn [common_divisor].
  - split; [lia|]. split; apply Z.divide_1_l.
  - destruct (Z.eqb_spec b 0) as [->|N].
    + split; [lia|]. split; [apply Z.divide_refl|apply Z.divide_0_r].
    + pose proof (Z.mod_pos_bound a b ltac:(lia)). destruct (IH b (a mod b)) as [H1 [H2 H3]];
      [lia|lia|lia|].
      split; [assumption|]. split; [|assumption].
      assert (K : (common_divisor fuel b (a mod b) | b * (a / b) + a mod b))
        by (apply Z.divide_add_r; [apply Z.divide_mul_l|]; assumption).
      rewrite <- Z.div_mod in K by assumption. assumption.
Qed.

(** What is printed of a number is that of its lowest terms. *)
Lemma rational_form x : 0 <= fst x -> printable (fst x) -> printable (Zpos (snd x)) ->
  exists n d, of_rational (n, d) = of_rational x /\ 0 <= n /\ printable n /\ printable (Zpos d) /\
  n * Zpos (snd x) = fst x * Zpos d /\
  forall after, print_rational x after = print_integer n (if Zpos d =? 1 then after else String "/"
    (print_integer (Zpos d) after)).
Proof.
  destruct x as [n d]. cbn [fst snd]. intros Hn Pn Pd. unfold print_rational. cbn [fst snd].
  set (g := if _ <? _ then 1 else _).
  assert (Hg : 0 < g /\ (g | n) /\ (g | Zpos d)).
  { unfold g. destruct (_ <? _); [split; [lia|]; split; apply Z.divide_1_l|].
    apply common_divisor_spec; lia. }
  clearbody g. destruct Hg as [Hg [[n' En] [d' Ed]]]. subst n.
  assert (Hd' : 0 < d') by nia. assert (Hn' : 0 <= n') by nia.
  rewrite Ed in *. rewrite !Z.div_mul by lia.
  assert (Hle : forall z, 0 <= z -> printable (z * g) -> printable z).
  { intros z Hz. unfold printable, bit_length. rewrite !Z.abs_eq by nia.
    destruct (Z.leb_spec z 0), (Z.leb_spec (z * g) 0); try (unfold most_printed; lia); try nia.
    assert (Z.log2 z <= Z.log2 (z * g)) by (apply Z.log2_le_mono; nia). lia. }
  apply Hle in Pn; [|assumption]. apply Hle in Pd; [|lia]. destruct d' as [|e|e]; try lia.
  exists n', e. repeat split; auto; [|ring].
  unfold of_rational. cbn [fst snd]. rewrite Ed, !mult_IZR. apply IZR_lt in Hg, Hd'. field. lra.
Qed.

Lemma fraction_read most n d : 0 <= n -> printable n -> printable (Zpos d) ->
  number_of most (print_integer n (if Zpos d =? 1 then "" else String "/" (print_integer (Zpos d)
    ""))) = Done (n, d).
Proof.
  intros Hn Pn Pd. unfold number_of. destruct (Z.eqb_spec (Zpos d) 1) as [E1|N1].
  - destruct (integer_at n "" Hn Pn I) as [k [Hk E]]. rewrite E. destruct (Z.eqb_spec k 0); [lia|].
    cbn.
    f_equal. f_equal; [lia|]. congruence.
  - destruct (integer_at n (String "/" (print_integer (Zpos d) "")) Hn Pn eq_refl) as [k [Hk E]].
    rewrite E.
    destruct (Z.eqb_spec k 0); [lia|].
    change (after_prefix "/" (String "/" (print_integer (Zpos d) "")))
      with (Some (print_integer (Zpos d) "")).
    destruct (integer_at (Zpos d) "" ltac:(lia) Pd I) as [k' [Hk' E']]. rewrite E'.
      destruct (Z.eqb_spec k' 0); [lia|]. reflexivity.
Qed.

(** A number is printed, and read again. *)
Theorem number_read_again most x : 0 <= fst x -> printable (fst x) -> printable (Zpos (snd x)) ->
  exists y, number_of most (print_rational x "") = Done y /\ of_rational y = of_rational x.
Proof.
  intros Hx Pn Pd. destruct (rational_form x Hx Pn Pd) as [n [d [E [Hn [Pn' [Pd' [_ F]]]]]]].
    exists (n, d). rewrite F.
  split; [apply fraction_read; assumption|assumption].
Qed.

(** ** Levels *)

Lemma append_assoc a b c : (a ++ b) ++ c = a ++ (b ++ c).
Proof. induction a as [|x a IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma append_nothing s : s ++ "" = s.
Proof. induction s as [|x s IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma decimal_append fuel z a b : decimal_before fuel z (a ++ b) = decimal_before fuel z a ++ b.
Proof.
  revert z a. induction fuel as [|fuel IH]; intros z a; [reflexivity|]. rewrite !decimal_step.
  destruct (z <? 10); [reflexivity|]. rewrite <- IH. reflexivity.
Qed.

Lemma integer_append z a b : printable z -> print_integer z (a ++ b) = print_integer z a ++ b.
Proof.
  intros Hp. unfold print_integer. unfold printable in Hp.
    destruct (Z.ltb_spec most_printed (bit_length (Z.abs z))); [lia|].
  destruct (z <? 0); rewrite decimal_append; reflexivity.
Qed.

Lemma without_last_of s : without_last (s ++ ")") = Some s.
Proof.
  induction s as [|c s IH]; [reflexivity|]. cbn. destruct (s ++ ")") eqn:E;
    [destruct s; discriminate|]. rewrite IH. reflexivity.
Qed.

(** A text that begins with a digit begins with nothing else. *)
Lemma begins_with_digit s p k rest : digits_of s 0 0 = (p, k, rest) -> 1 <= k -> exists c t,
  s = String c t /\ digit c <> None.
Proof.
  intros H Hk. destruct s as [|c t]; cbn in H; [injection H; intros; lia|]. exists c, t.
    split; [reflexivity|].
  destruct (digit c) eqn:E; [discriminate|]. injection H; intros; lia.
Qed.

Lemma no_prefix a prefix c t : digit c <> None -> digit a = None -> after_prefix (String a prefix)
  (String c t) = None.
Proof. intros Hc Ha. cbn. destruct (Ascii.eqb_spec a c) as [<-|]; [contradiction|reflexivity]. Qed.

Lemma fraction_is_no_surd n d : 0 <= n -> printable n ->
  surd_of (print_integer n (if Zpos d =? 1 then "" else String "/" (print_integer (Zpos d) ""))) =
    None.
Proof.
  intros Hn Pn. set (rest := if Zpos d =? 1 then "" else String "/" (print_integer (Zpos d) "")).
  assert (He : ends rest) by (unfold rest; destruct (Zpos d =? 1); exact I || reflexivity).
  destruct (integer_at n rest Hn Pn He) as [k [Hk E]]. destruct (begins_with_digit _ _ _ _ E Hk)
    as [c [t [Es Hc]]].
  unfold surd_of. rewrite Es, (no_prefix "(" "" c t), (no_prefix "-" "" c t)
    by (assumption || reflexivity).
  rewrite <- Es, E. destruct (Z.eqb_spec k 0); [lia|]. unfold rest. destruct (Zpos d =? 1);
    reflexivity.
Qed.

(** Levels whose numbers are printed, and which a document may state. *)
Definition statable (l : written_level) : Prop :=
  match l with
  | Nats x => 0 <= fst x < (most_level + 1) * Zpos (snd x) /\ printable (fst x) /\
    printable (Zpos (snd x))
  | Log x => 0 <= fst x /\ printable (fst x) /\ printable (Zpos (snd x))
  | Log_surd p _ n c => 0 <= n /\ 0 <= c /\ printable p /\ printable n /\ printable c
  | Infinite => True
  end.

Lemma surd_read p (minus : bool) n c : 0 <= n -> 0 <= c -> printable p -> printable n ->
  printable c ->
  surd_of ("(" ++ print_integer p ((if minus then "-" else "+") ++ "sqrt(" ++
    print_integer n ("))/" ++ print_integer c "")))
  = Some (Log_surd p minus n c).
Proof.
  intros Hn Hc Pp Pn Pc. set (tail := (if minus then "-" else "+") ++ "sqrt(" ++
    print_integer n ("))/" ++ print_integer c "")).
  assert (He : ends tail) by (unfold tail; destruct minus; reflexivity).
  destruct (integer_at n ("))/" ++ print_integer c "") Hn Pn eq_refl) as [k1 [K1 E1]].
  destruct (integer_at c "" Hc Pc I) as [k2 [K2 E2]].
  assert (Hp : exists k, 1 <= k /\
    (let negative := match after_prefix "-" (print_integer p tail) with Some _ => true | None =>
      false end in
     let unsigned := match after_prefix "-" (print_integer p tail) with Some t => t | None =>
       print_integer p tail end in
     negative = (p <? 0) /\ digits_of unsigned 0 0 = (Z.abs p, k, tail))).
  { destruct (Z.ltb_spec p 0) as [N|N].
    - destruct (integer_at (- p) tail ltac:(lia)) as [k [Hk E]]; [unfold printable in *;
      rewrite Z.abs_opp; assumption|assumption|].
      exists k. split; [assumption|]. unfold print_integer in *. unfold printable in Pp.
      rewrite Z.abs_opp in E. destruct (Z.ltb_spec most_printed (bit_length (Z.abs p))); [lia|].
      destruct (Z.ltb_spec p 0); [|lia]. destruct (Z.ltb_spec (- p) 0); [lia|]. cbn [after_prefix].
      rewrite Ascii.eqb_refl. rewrite E. split; [reflexivity|]. f_equal. f_equal. lia.
    - destruct (integer_at p tail N Pp He) as [k [Hk E]]. destruct (begins_with_digit _ _ _ _ E Hk)
      as [a [t [Es Ha]]].
      exists k. split; [assumption|]. cbv zeta. rewrite Es, (no_prefix "-" "" a t)
        by (assumption || reflexivity). cbv iota. rewrite <- Es, E.
      split; [reflexivity|]. f_equal. f_equal. lia. }
  destruct Hp as [k [Hk [Hneg Hdigits]]].
  unfold surd_of. change (after_prefix "(" ("(" ++ print_integer p tail))
    with (Some (print_integer p tail)). cbv beta iota zeta.
  rewrite Hneg, Hdigits. destruct (Z.eqb_spec k 0); [lia|].
  assert (Hsigned : (if p <? 0 then - Z.abs p else Z.abs p) = p) by (destruct (Z.ltb_spec p 0);
    lia). rewrite Hsigned.
  unfold tail. cbn [append] in E1. destruct minus; cbn [append after_prefix Ascii.eqb Bool.eqb];
    rewrite E1; destruct (Z.eqb_spec k1 0); try lia;
    cbn [append after_prefix Ascii.eqb Bool.eqb]; rewrite E2; destruct (Z.eqb_spec k2 0); try lia;
      reflexivity.
Qed.

(** A level is printed, and read again. *)
Theorem level_read_again l : statable l -> exists l', level_of (print_level l "") = Done l' /\
  of_level l' = of_level l.
Proof.
  destruct l as [x|x|p minus n c|]; cbn [statable print_level].
  - intros [Hx [Pn Pd]]. destruct (rational_form x ltac:(lia) Pn Pd)
    as [n [d [Ev [Hn [Pn' [Pd' [Ex F]]]]]]]. rewrite F.
    exists (Nats (n, d)). split; [|cbn; rewrite Ev; reflexivity].
    set (s := print_integer n _). assert (Hb : exists c t, s = String c t /\ digit c <> None).
    { unfold s. destruct (Zpos d =? 1).
      - destruct (integer_at n "" Hn Pn' I) as [k [Hk E]]. eapply begins_with_digit; eassumption.
      - destruct (integer_at n (String "/" (print_integer (Zpos d) "")) Hn Pn' eq_refl)
        as [k [Hk E]]. eapply begins_with_digit; eassumption. }
    destruct Hb as [c [t [Es Hc]]]. unfold level_of. rewrite Es, (no_prefix "l" "og(" c t)
      by (assumption || reflexivity).
    replace (String.eqb (String c t) "inf") with false.
    + rewrite <- Es. unfold s. rewrite fraction_read by assumption.
      cbv beta iota delta [bind within_limit fst snd]. replace (n <? (most_level + 1) * Zpos d)
        with true; [reflexivity|].
      symmetry. apply Z.ltb_lt. apply (Z.mul_lt_mono_pos_r (Zpos (snd x))); [lia|]. rewrite Ex.
        nia.
    + symmetry. apply String.eqb_neq. intros E. injection E as -> _. apply Hc. reflexivity.
  - intros [Hx [Pn Pd]]. destruct (rational_form x Hx Pn Pd)
    as [n [d [Ev [Hn [Pn' [Pd' [_ F]]]]]]]. rewrite F.
    exists (Log (n, d)). split; [|cbn; rewrite Ev; reflexivity].
    replace (print_integer n (if Zpos d =? 1 then ")" ++ "" else String "/" (print_integer (Zpos d)
      (")" ++ ""))))
      with (print_integer n (if Zpos d =? 1 then "" else String "/" (print_integer (Zpos d) "")) ++
        ")").
    + unfold level_of. cbn [append String.eqb Ascii.eqb Bool.eqb after_prefix].
      rewrite without_last_of, fraction_is_no_surd by assumption.
      rewrite fraction_read by assumption. reflexivity.
    + rewrite <- integer_append by assumption. f_equal. destruct (Zpos d =? 1); [reflexivity|].
      change (String "/" (print_integer (Zpos d) "") ++ ")")
        with (String "/" (print_integer (Zpos d) "" ++ ")")).
      rewrite <- integer_append by assumption. reflexivity.
  - intros [Hn [Hc [Pp [Pn Pc]]]]. exists (Log_surd p minus n c). split; [|reflexivity].
    unfold level_of.
    set (s := "(" ++ print_integer p ((if minus then "-" else "+") ++ "sqrt(" ++
      print_integer n ("))/" ++ print_integer c ""))).
    match goal with |- context [String.eqb ?text "inf"] => replace text with ("log(" ++ (s ++ ")"))
      end.
    + cbn [append String.eqb Ascii.eqb Bool.eqb after_prefix]. rewrite without_last_of. unfold s.
      rewrite surd_read by assumption. reflexivity.
    + unfold s. cbn [append]. do 4 f_equal. f_equal. rewrite <- integer_append by assumption.
      f_equal. rewrite append_assoc. f_equal. cbn [append].
      do 5 f_equal. rewrite <- integer_append by assumption. f_equal. cbn [append]. do 3 f_equal.
        rewrite <- integer_append by assumption. reflexivity.
  - intros _. exists Infinite. split; reflexivity.
Qed.
