(** Budgets: what Algorithms 7 and 8 return keeps the level alpha at every time, and so does
    control online. *)

From TPL Require Export Supremum.
Open Scope R_scope.

(** The budgets of Algorithm 8 for the times 0 to T: the first, the last, and all others.
    [algo:release2] *)
Definition schedule (a_B a_F middle : R) (T t : nat) : R :=
  if Nat.eqb t 0 then a_B else if Nat.eqb t T then a_F else middle.

(** Equations (i) and (ii) of Section 5 with (iii) are Equations (26) and (27). [eq:release2_a],
    [eq:release2_b] *)
Theorem equations_26_27 n P_B P_F a_B a_F middle alpha : a_B + a_F - middle = alpha ->
  (loss n P_B a_B + middle = a_B /\ loss n P_F a_F + middle = a_F <->
   loss n P_B a_B + a_F = alpha /\ loss n P_F a_F + a_B = alpha).
Proof. intros H. split; intros [H1 H2]; split; lra. Qed.

(** Algorithm 7 [algo:release1]: a constant budget eps whose suprema add up to alpha keeps alpha at
    every time of every release, however long; by Theorem 2 so do all mechanisms with these
    budgets. *)
Theorem algorithm_7 n P_B P_F eps s_B s_F alpha : stochastic n P_B -> stochastic n P_F ->
  0 <= eps ->
  is_supremum n P_B eps s_B -> is_supremum n P_F eps s_F -> s_B + s_F - eps = alpha ->
  forall T t, (t <= T)%nat -> TPL n (fun _ => P_B) (fun _ => P_F) (fun _ => eps) T t <= alpha.
Proof.
  intros HB HF He [SB _] [SF _] Ha T t Ht. unfold TPL. rewrite FPL_level.
  assert (level n P_B eps t <= s_B) by (apply SB; exists t; reflexivity).
  assert (level n P_F eps (T - t) <= s_F) by (apply SF; exists (T - t)%nat; reflexivity).
  unfold level in *. lra.
Qed.

Theorem algorithm_7_protects {O : Type} n c B P_B P_F eps s_B s_F alpha (M : nat -> nat -> O ->
  R) :
  valid n c -> bayes n c B -> (forall t, B t = P_B) -> (forall t, forward c t = P_F) -> 0 <= eps ->
  is_supremum n P_B eps s_B -> is_supremum n P_F eps s_F -> s_B + s_F - eps = alpha ->
  private n (fun _ => eps) M ->
  forall T t, (t <= T)%nat -> TPL_at_most n c T M t alpha.
Proof.
  intros Hc HB EB EF He SB SF Ha HM T t Ht r a b Hla Hlb Pa Pb.
  pose proof (theorem_2 n c B (fun _ => eps) T M t Hc HB (fun _ => He) HM Ht r a b Hla Hlb Pa Pb)
    as H.
  assert (HPB : stochastic n P_B) by (rewrite <- (EB 0%nat); apply HB).
  assert (HPF : stochastic n P_F) by (rewrite <- (EF 0%nat); apply Hc).
  assert (EBP : forall u, BPL n B (fun _ => eps) u = level n P_B eps u).
  { induction u as [|u IH]; [reflexivity|]. unfold level in *. simpl. rewrite EB, IH.
    reflexivity. }
  assert (EFP : forall k u, FPL n (forward c) (fun _ => eps) u k = level n P_F eps k).
  { induction k as [|k IH]; intros u; [reflexivity|]. simpl. rewrite EF, IH. reflexivity. }
  pose proof (algorithm_7 n P_B P_F eps s_B s_F alpha HPB HPF He SB SF Ha T t Ht) as HT.
  unfold TPL in H, HT. rewrite FPL_level in HT. rewrite EBP, EFP in H. fold (level n P_B eps t) in
    HT.
  eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r; [|apply exp_le; exact HT].
  rewrite (given_value n c T B) by assumption. rewrite likelihood_before.
  pose proof (outputs_bounded n (fun _ => eps) M r 0 T (fun _ => He) HM) as Hw.
  apply Rmult_le_pos; [apply Rmult_le_pos|].
  - apply (Hw t b b Hlb Hlb).
  - apply (before_bound n B (fun _ => eps) _ t b b (proj1 HB) (fun _ => He) Hw Hlb Hlb).
  - apply (future_bound n c (fun _ => eps) _ t (T - t) b b Hc (fun _ => He) Hw Hlb Hlb).
Qed.

(** Algorithm 8 [algo:release2]: its budgets make TPL exactly alpha at every time, for two releases
    or more; for one release the budget is alpha itself. *)
Theorem algorithm_8 n P_B P_F a_B a_F middle alpha T : (1 <= T)%nat ->
  loss n P_B a_B + middle = a_B -> loss n P_F a_F + middle = a_F -> a_B + a_F - middle = alpha ->
  forall t, (t <= T)%nat -> TPL n (fun _ => P_B) (fun _ => P_F) (schedule a_B a_F middle T) T t =
    alpha.
Proof.
  intros HT H1 H2 H3 t Ht. set (eps := schedule a_B a_F middle T).
  assert (E0 : eps 0%nat = a_B) by reflexivity.
  assert (ET : eps T = a_F).
  { unfold eps, schedule. destruct (Nat.eqb_spec T 0); [lia|]. rewrite Nat.eqb_refl. reflexivity. }
  assert (Em : forall s, (0 < s < T)%nat -> eps s = middle).
  { intros s Hs. unfold eps, schedule. destruct (Nat.eqb_spec s 0); [lia|].
    destruct (Nat.eqb_spec s T); [lia|reflexivity]. }
  assert (HB : forall s, (s < T)%nat -> BPL n (fun _ => P_B) eps s = a_B).
  { induction s as [|s IH]; intros Hs; simpl; [exact E0|]. rewrite IH, Em by lia. exact H1. }
  assert (HF : forall k s, (1 <= s)%nat -> (s + k = T)%nat -> FPL n (fun _ => P_F) eps s k = a_F).
  { induction k as [|k IH]; intros s Hs Hk; simpl.
    - replace s with T by lia. exact ET.
    - rewrite IH, Em by lia. exact H2. }
  unfold TPL. destruct (Nat.eq_dec t T) as [->|Hne].
  - rewrite Nat.sub_diag. simpl. destruct T as [|T']; [lia|]. simpl. rewrite HB by lia.
    rewrite !ET. lra.
  - rewrite HB by lia. destruct t as [|t'].
    + replace (T - 0)%nat with (S (T - 1)) by lia. simpl. rewrite HF by lia. rewrite E0. lra.
    + rewrite HF, Em by lia. lra.
Qed.

Theorem algorithm_8_one n P_B P_F alpha : TPL n (fun _ => P_B) (fun _ => P_F) (schedule alpha alpha
  0 0) 0 0 = alpha.
Proof. unfold TPL, schedule. simpl. ring. Qed.

(** Under the strongest correlation, L the identity, no positive budget solves the equations. *)
Theorem strongest_correlation n P a eps : loss n P a = a -> loss n P a + eps = a -> eps = 0.
Proof. intros H1 H2. lra. Qed.

(** Control: with each budget at most what the cap leaves, BPL never exceeds the cap; with all of
    it, BPL is the cap. *)
Theorem control n B eps cap : (forall t, stochastic n (B t)) -> (forall t, 0 <= eps t) ->
  eps 0%nat <= cap -> (forall t, eps (S t) <= cap - loss n (B t) (BPL n B eps t)) ->
  forall t, BPL n B eps t <= cap.
Proof. intros HB He H0 H t. destruct t as [|t]; simpl; [assumption|]. specialize (H t). lra. Qed.

Theorem control_exact n B eps cap : eps 0%nat = cap -> (forall t, eps (S t) = cap - loss n (B t)
  (BPL n B eps t)) ->
  forall t, BPL n B eps t = cap.
Proof. intros H0 H t. destruct t as [|t]; simpl; [assumption|]. rewrite H. ring. Qed.

(** Smaller budgets leak no more: rounding a budget down is safe. *)
Theorem smaller_budgets n B F eps eps' T t : (forall t, stochastic n (B t)) ->
  (forall t, stochastic n (F t)) ->
  (forall t, 0 <= eps t <= eps' t) -> TPL n B F eps T t <= TPL n B F eps' T t.
Proof.
  intros HB HF He.
  assert (H0 : forall t, 0 <= eps t) by (intros; apply He).
  assert (H1 : forall s, BPL n B eps s <= BPL n B eps' s).
  { induction s as [|s IH]; simpl; [apply He|].
    pose proof (loss_rises n (B s) _ _ (HB s) (conj (BPL_nonneg n B eps s HB H0) IH)).
      pose proof (He (S s)). lra. }
  assert (H2 : forall k s, FPL n F eps s k <= FPL n F eps' s k).
  { induction k as [|k IH]; intros s; simpl; [apply He|].
    pose proof (loss_rises n (F s) _ _ (HF s) (conj (FPL_nonneg n F eps (S s) k HF H0)
      (IH (S s)))). pose proof (He s). lra. }
  unfold TPL. destruct t as [|t]; simpl.
  - pose proof (H2 (T - 0)%nat 0%nat). lra.
  - pose proof (loss_rises n (B t) _ _ (HB t) (conj (BPL_nonneg n B eps t HB H0) (H1 t))).
    pose proof (H2 (T - S t)%nat (S t)). lra.
Qed.

(** A constant budget that keeps alpha at every time of every release. *)
Definition keeps_level (n : nat) (P_B P_F : nat -> nat -> R) (alpha eps : R) : Prop :=
  forall T t, (t <= T)%nat -> TPL n (fun _ => P_B) (fun _ => P_F) (fun _ => eps) T t <= alpha.

(** What Algorithm 7 tests of a budget, sup_B + sup_F - eps <= alpha, is whether that budget keeps
    alpha; by Supremum.algorithm_6_candidates its suprema are those that Algorithm 6 finds. *)
Theorem algorithm_7_test n P_B P_F alpha eps : stochastic n P_B -> stochastic n P_F -> 0 <= eps ->
  (keeps_level n P_B P_F alpha eps <-> exists s_B s_F,
    is_supremum n P_B eps s_B /\ is_supremum n P_F eps s_F /\ s_B + s_F - eps <= alpha).
Proof.
  intros HB HF He. split.
  - intros H.
    assert (Hsum : forall t k, level n P_B eps t + level n P_F eps k - eps <= alpha).
    { intros t k. specialize (H (t + k)%nat t ltac:(lia)). unfold TPL in H. rewrite FPL_level in H.
      replace (t + k - t)%nat with k in H by lia. exact H. }
    destruct (supremum_exists n P_B eps alpha) as [s_B [SB _]].
    { intros t. specialize (Hsum t 0%nat). unfold level at 2 in Hsum. simpl in Hsum. lra. }
    destruct (supremum_exists n P_F eps alpha) as [s_F [SF _]].
    { intros k. specialize (Hsum 0%nat k). unfold level at 1 in Hsum. simpl in Hsum. lra. }
    exists s_B, s_F. split; [assumption|]. split; [assumption|].
    enough (s_F <= alpha + eps - s_B) by lra. apply SF. intros x [k ->].
    enough (s_B <= alpha + eps - level n P_F eps k) by lra. apply SB. intros x [t ->].
    specialize (Hsum t k). lra.
  - intros [s_B [s_F [SB [SF Ha]]]] T t Ht.
    pose proof (algorithm_7 n P_B P_F eps s_B s_F _ HB HF He SB SF eq_refl T t Ht). lra.
Qed.

Lemma suprema_rise n P eps eps' s s' : stochastic n P -> 0 <= eps <= eps' ->
  is_supremum n P eps s -> is_supremum n P eps' s' -> s + (eps' - eps) <= s'.
Proof.
  intros HP He Hs Hs'. pose proof (supremum_above n P eps' s' ltac:(lra) Hs') as Ha.
  pose proof (supremum_fixed n P eps' s' HP ltac:(lra) Hs') as Hf.
  enough (s <= s' - (eps' - eps)) by lra. apply Hs. intros x [t ->]. revert t.
  apply level_bound; auto; try lra.
  pose proof (loss_rises n P (s' - (eps' - eps)) s' HP ltac:(lra)). lra.
Qed.

(** Where Algorithm 7 ends, no greater budget keeps alpha. *)
Theorem algorithm_7_greatest n P_B P_F eps s_B s_F alpha x : stochastic n P_B ->
  stochastic n P_F -> 0 <= eps -> is_supremum n P_B eps s_B -> is_supremum n P_F eps s_F ->
  s_B + s_F - eps = alpha -> 0 <= x -> keeps_level n P_B P_F alpha x -> x <= eps.
Proof.
  intros HB HF He SB SF Ha Hx Hk. apply Rnot_lt_le. intros Hlt.
  apply algorithm_7_test in Hk; auto. destruct Hk as [r_B [r_F [RB [RF Hr]]]].
  pose proof (suprema_rise n P_B eps x s_B r_B HB ltac:(lra) SB RB).
  pose proof (suprema_rise n P_F eps x s_F r_F HF ltac:(lra) SF RF). lra.
Qed.

(** The loop of Algorithm 7 before it ends, as printed, after a count of rounds: e and range. The
    test is whether e keeps alpha. *)
Fixpoint bisected (test : R -> bool) (count : nat) (e range : R) : R * R :=
  match count with
  | O => (e, range)
  | S more =>
      let half := range / 2 in bisected test more (if test e then e + half else e - half) half
  end.

(** So, ended after any number of rounds, e - range keeps alpha (0, where it is below), and no
    budget above e + range does. *)
Theorem bisection n P_B P_F alpha test count : stochastic n P_B -> stochastic n P_F ->
  0 <= alpha ->
  (forall x, 0 <= x -> (test x = true <-> keeps_level n P_B P_F alpha x)) ->
  let (e, range) := bisected test count (alpha / 2) alpha in
  0 <= e /\ range = alpha / 2 ^ count /\ keeps_level n P_B P_F alpha (Rmax 0 (e - range)) /\
  forall x, 0 <= x -> keeps_level n P_B P_F alpha x -> x <= e + range.
Proof.
  intros HB HF Ha Htest.
  assert (H0 : keeps_level n P_B P_F alpha 0).
  { assert (HL : forall P, stochastic n P -> forall t, level n P 0 t <= 0).
    { intros P HP. apply level_bound; auto; try lra. pose proof (remark_1 n P 0 HP). lra. }
    intros T t _. unfold TPL. rewrite FPL_level. pose proof (HL P_B HB t).
    pose proof (HL P_F HF (T - t)%nat). unfold level in *. lra. }
  assert (Hbelow : forall x y, 0 <= x <= y -> keeps_level n P_B P_F alpha y ->
    keeps_level n P_B P_F alpha x).
  { intros x y Hxy Hy T t Ht. eapply Rle_trans; [|apply (Hy T t Ht)].
    apply smaller_budgets; auto. }
  assert (H : forall count e range, 0 <= range ->
    (e = 0 \/ e = range / 2 \/ range <= e) ->
    keeps_level n P_B P_F alpha (Rmax 0 (e - range)) ->
    (forall x, 0 <= x -> keeps_level n P_B P_F alpha x -> x <= e + range) ->
    let (e', range') := bisected test count e range in
    0 <= e' /\ range' = range / 2 ^ count /\
    keeps_level n P_B P_F alpha (Rmax 0 (e' - range')) /\
    forall x, 0 <= x -> keeps_level n P_B P_F alpha x -> x <= e' + range').
  { clear count. induction count as [|count IH]; intros e range Hr He Hlow Hup; simpl.
    - repeat split; auto; lra.
    - assert (He0 : 0 <= e) by lra.
      assert (Hpow : 2 ^ count <> 0) by (apply pow_nonzero; lra).
      set (half := range / 2). assert (Hh : range = 2 * half) by (unfold half; field).
      assert (Eh : half / 2 ^ count = range / (2 * 2 ^ count)) by (unfold half; field; assumption).
      rewrite <- Eh. destruct (test e) eqn:E; apply IH; try lra.
      + replace (e + half - half) with e by ring. rewrite Rmax_right by assumption.
        apply Htest; assumption.
      + intros x Hx Hk. specialize (Hup x Hx Hk). lra.
      + destruct He as [-> |He]; [|lra]. exfalso.
        apply Htest in H0; [congruence|lra].
      + replace (e - half - half) with (e - range) by lra. assumption.
      + intros x Hx Hk. apply Rnot_lt_le. intros N.
        enough (test e = true) by congruence. apply Htest; [assumption|].
        apply (Hbelow e x); [lra|assumption]. }
  apply H; auto; try lra.
  - rewrite Rmax_left by lra. assumption.
  - intros x Hx Hk. specialize (Hk 0%nat 0%nat (le_n _)). unfold TPL in Hk. simpl in Hk. lra.
Qed.

(** The schedules among which Algorithm 8 searches: a_B is the first budget, and Equation (26)
    gives
    the others. *)
Definition schedule_from (n : nat) (P_B : nat -> nat -> R) (alpha a_B : R) (T : nat) : nat -> R :=
  schedule a_B (alpha - loss n P_B a_B) (a_B - loss n P_B a_B) T.

(** The left side of Equation (27) then. *)
Definition left_27 (n : nat) (P_B P_F : nat -> nat -> R) (alpha a_B : R) : R :=
  loss n P_F (alpha - loss n P_B a_B) + a_B.

Lemma left_27_rises n P_B P_F alpha x y : stochastic n P_B -> stochastic n P_F ->
  0 <= x <= y -> y <= alpha ->
  0 <= left_27 n P_B P_F alpha y - left_27 n P_B P_F alpha x <= y - x.
Proof.
  intros HB HF Hxy Hy. unfold left_27. pose proof (loss_rises n P_B x y HB Hxy).
  pose proof (loss_slow n P_B x y HB Hxy). pose proof (remark_1 n P_B y HB ltac:(lra)).
  set (u := alpha - loss n P_B y). set (v := alpha - loss n P_B x).
  assert (Huv : 0 <= u <= v) by (unfold u, v; lra).
  pose proof (loss_rises n P_F u v HF Huv). pose proof (loss_slow n P_F u v HF Huv).
  unfold u, v in *. lra.
Qed.

(** What the algorithm tests: such a schedule keeps alpha for every T, of two releases or more,
    just
    where the left side of (27) is at most alpha. *)
Theorem algorithm_8_test n P_B P_F alpha a_B : stochastic n P_B -> stochastic n P_F ->
  0 <= a_B <= alpha ->
  ((forall T t, (1 <= T)%nat -> (t <= T)%nat ->
     TPL n (fun _ => P_B) (fun _ => P_F) (schedule_from n P_B alpha a_B T) T t <= alpha) <->
   left_27 n P_B P_F alpha a_B <= alpha).
Proof.
  intros HB HF Ha. pose proof (remark_1 n P_B a_B HB ltac:(lra)) as Hr.
  unfold left_27, schedule_from. set (a_F := alpha - loss n P_B a_B) in *.
  set (middle := a_B - loss n P_B a_B) in *. split.
  - intros H. specialize (H 1%nat 0%nat (le_n _) ltac:(lia)). unfold TPL, schedule in H.
    simpl in H. lra.
  - intros H T t HT Ht. set (eps := schedule a_B a_F middle T).
    assert (E0 : eps 0%nat = a_B) by reflexivity.
    assert (ET : eps T = a_F).
    { unfold eps, schedule. destruct (Nat.eqb_spec T 0); [lia|]. rewrite Nat.eqb_refl.
      reflexivity. }
    assert (Em : forall s, (0 < s < T)%nat -> eps s = middle).
    { intros s Hs. unfold eps, schedule. destruct (Nat.eqb_spec s 0); [lia|].
      destruct (Nat.eqb_spec s T); [lia|reflexivity]. }
    assert (HBP : forall s, (s < T)%nat -> BPL n (fun _ => P_B) eps s = a_B).
    { induction s as [|s IH]; intros Hs; simpl; [exact E0|]. rewrite IH, Em by lia.
      unfold middle. lra. }
    assert (HFP : forall k s, (1 <= s)%nat -> (s + k = T)%nat ->
      0 <= FPL n (fun _ => P_F) eps s k <= a_F).
    { induction k as [|k IH]; intros s Hs Hk; simpl.
      - replace s with T by lia. rewrite ET. unfold a_F. lra.
      - rewrite Em by lia. specialize (IH (S s) ltac:(lia) ltac:(lia)).
        pose proof (loss_rises n P_F _ _ HF IH). pose proof (remark_1 n P_F _ HF (proj1 IH)).
        unfold a_F, middle in *. lra. }
    unfold TPL. destruct (Nat.eq_dec t T) as [->|Hne].
    + rewrite Nat.sub_diag. simpl. destruct T as [|T']; [lia|]. simpl. rewrite HBP by lia.
      rewrite !ET. unfold a_F. lra.
    + rewrite HBP by lia. destruct t as [|t'].
      * replace (T - 0)%nat with (S (T - 1)) by lia. simpl. rewrite E0.
        pose proof (HFP (T - 1)%nat 1%nat ltac:(lia) ltac:(lia)) as Hf.
        pose proof (loss_rises n P_F _ _ HF Hf). lra.
      * rewrite Em by lia. pose proof (HFP (T - S t')%nat (S t') ltac:(lia) ltac:(lia)).
        unfold a_F, middle in *. lra.
Qed.

(** The loop of Algorithm 8 as printed, ended after a count of rounds: a_B and range; it ends by
    itself where the left side is alpha. *)
Fixpoint searched_for (compare : R -> comparison) (count : nat) (a_B range : R) : R * R :=
  match count with
  | O => (a_B, range)
  | S more =>
      let half := range / 2 in
      match compare a_B with
      | Eq => (a_B, 0)
      | Lt => searched_for compare more (a_B + half) half
      | Gt => searched_for compare more (a_B - half) half
      end
  end.

Lemma solution_exists n P_B P_F alpha low high : stochastic n P_B -> stochastic n P_F ->
  0 <= low <= high -> high <= alpha -> left_27 n P_B P_F alpha low <= alpha ->
  alpha <= left_27 n P_B P_F alpha high ->
  exists x, low <= x <= high /\ left_27 n P_B P_F alpha x = alpha.
Proof.
  intros HB HF Hlh Hh Hl Hu. set (f := left_27 n P_B P_F alpha) in *.
  assert (Hf : forall x y, 0 <= x <= y -> y <= alpha -> 0 <= f y - f x <= y - x)
    by (intros; apply left_27_rises; assumption).
  destruct (completeness (fun x => low <= x <= high /\ f x <= alpha)) as [x [Hup Hleast]].
  { exists high. intros x [Hx _]. lra. }
  { exists low. split; [lra|assumption]. }
  assert (Hx : low <= x <= high).
  { split; [apply Hup; split; [lra|assumption]|]. apply Hleast. intros y [Hy _]. lra. }
  exists x. split; [assumption|]. apply Rle_antisym; apply Rnot_lt_le; intros N.
  - enough (x <= x - (f x - alpha)) by lra. apply Hleast. intros y [Hy Hfy].
    apply Rnot_lt_le. intros M. specialize (Hup y (conj Hy Hfy)).
    pose proof (Hf y x ltac:(lra) ltac:(lra)). lra.
  - destruct (Req_dec x high) as [->|Hne]; [lra|].
    set (y := Rmin high (x + (alpha - f x))).
    assert (Hy : x < y <= high /\ y <= x + (alpha - f x)).
    { unfold y. pose proof (Rmin_l high (x + (alpha - f x))).
      pose proof (Rmin_r high (x + (alpha - f x))). split; [|assumption].
      split; [apply Rmin_glb_lt; lra|assumption]. }
    enough (y <= x) by lra. apply Hup. split; [lra|].
    pose proof (Hf x y ltac:(lra) ltac:(lra)). lra.
Qed.

(** So, ended after any number of rounds, the schedule from a_B - range (from 0, where it is below)
    keeps alpha for every T, and there is a solution of Equations (26) and (27) within range of
    a_B. *)
Theorem bisection_8 n P_B P_F alpha compare count : stochastic n P_B -> stochastic n P_F ->
  0 <= alpha ->
  (forall x, 0 <= x <= alpha -> CompareSpec (left_27 n P_B P_F alpha x = alpha)
    (left_27 n P_B P_F alpha x < alpha) (alpha < left_27 n P_B P_F alpha x) (compare x)) ->
  let (a_B, range) := searched_for compare count (alpha / 2) alpha in
  0 <= a_B <= alpha /\ 0 <= range <= alpha / 2 ^ count /\
  (forall T t, (1 <= T)%nat -> (t <= T)%nat -> TPL n (fun _ => P_B) (fun _ => P_F)
    (schedule_from n P_B alpha (Rmax 0 (a_B - range)) T) T t <= alpha) /\
  exists x y, loss n P_B x + y = alpha /\ loss n P_F y + x = alpha /\ 0 <= x <= alpha /\
    Rabs (a_B - x) <= range.
Proof.
  intros HB HF Ha Hcompare. set (f := left_27 n P_B P_F alpha) in *.
  assert (Hf : forall x y, 0 <= x <= y -> y <= alpha -> f x <= f y).
  { intros x y Hxy Hy. pose proof (left_27_rises n P_B P_F alpha x y HB HF Hxy Hy). unfold f.
    lra. }
  assert (HL0 : loss n P_B 0 = 0) by (pose proof (remark_1 n P_B 0 HB); lra).
  assert (H0 : f 0 <= alpha).
  { unfold f, left_27. rewrite HL0. pose proof (remark_1 n P_F (alpha - 0) HF ltac:(lra)). lra. }
  assert (H1 : alpha <= f alpha).
  { unfold f, left_27. pose proof (remark_1 n P_B alpha HB Ha).
    pose proof (remark_1 n P_F (alpha - loss n P_B alpha) HF ltac:(lra)). lra. }
  assert (H : forall count e range, 0 <= range -> 0 <= e <= alpha ->
    (e = 0 \/ e = range / 2 \/ range <= e) ->
    (e = alpha \/ alpha - e = range / 2 \/ range <= alpha - e) ->
    f (Rmax 0 (e - range)) <= alpha -> alpha <= f (Rmin alpha (e + range)) ->
    let (e', range') := searched_for compare count e range in
    0 <= e' <= alpha /\ 0 <= range' <= range / 2 ^ count /\
    f (Rmax 0 (e' - range')) <= alpha /\ alpha <= f (Rmin alpha (e' + range'))).
  { clear count. induction count as [|count IH]; intros e range Hr He Hd Hu Hlow Hup; simpl.
    - repeat split; auto; lra.
    - assert (Hpow : 0 < 2 ^ count) by (apply pow_lt; lra).
      set (half := range / 2). assert (Hh : range = 2 * half) by (unfold half; field).
      assert (Eh : half / 2 ^ count = range / (2 * 2 ^ count)) by (unfold half; field; lra).
      destruct (Hcompare e He) as [E|E|E].
      + repeat split; try lra.
        * apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. lra.
        * rewrite Rminus_0_r, Rmax_right by lra. lra.
        * rewrite Rplus_0_r, Rmin_right by lra. lra.
      + rewrite <- Eh. destruct Hu as [->|Hu]; [lra|]. apply IH; try lra.
        * replace (e + half - half) with e by ring. rewrite Rmax_right by lra. lra.
        * replace (e + half + half) with (e + range) by lra. assumption.
      + rewrite <- Eh. destruct Hd as [->|Hd]; [lra|]. apply IH; try lra.
        * replace (e - half - half) with (e - range) by lra. assumption.
        * replace (e - half + half) with e by ring. rewrite Rmin_right by lra. lra. }
  specialize (H count (alpha / 2) alpha Ha ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite Rmax_left in H by lra. rewrite Rmin_left in H by lra. specialize (H H0 H1).
  destruct (searched_for compare count (alpha / 2) alpha) as [e range].
  destruct H as [He [Hr [Hlow Hup]]]. split; [assumption|]. split; [assumption|].
  pose proof (Rmax_l 0 (e - range)). pose proof (Rmax_r 0 (e - range)).
  pose proof (Rmin_l alpha (e + range)). pose proof (Rmin_r alpha (e + range)).
  assert (Hle : Rmax 0 (e - range) <= e) by (apply Rmax_lub; lra).
  assert (Hge : e <= Rmin alpha (e + range)) by (apply Rmin_glb; lra).
  split; [apply algorithm_8_test; auto; lra|].
  destruct (solution_exists n P_B P_F alpha _ _ HB HF (conj (Rmax_l 0 (e - range))
    (Rle_trans _ _ _ Hle Hge)) ltac:(lra) Hlow Hup) as [x [Hx E]].
  exists x, (alpha - loss n P_B x). unfold left_27 in E. repeat split; try lra.
  apply Rabs_le. lra.
Qed.
