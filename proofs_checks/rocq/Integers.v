(** The check from above in integers, 1 being K of them, a power of 2: what doubles leave open. All
    its roundings are to the safe side, so that its tests imply that of Above.v. *)

From Coq Require Import ZArith.
From TPL Require Export Above.
Open Scope R_scope.

(** ** Definitions *)

(** a/K, rounded upward; a / K itself is rounded downward. *)
Definition upward (a K : Z) : Z := (- (- a / K))%Z.

Fixpoint total (n : nat) (x : nat -> Z) : Z :=
  match n with
  | O => 0%Z
  | S m => (total m x + x m)%Z
  end.

(** What a release does to c: of what is above 0 it makes 1 + E/K times as much. *)
Definition gained (K E c : Z) : Z := if (0 <? c)%Z then (c + upward (E * c) K)%Z else c.

(** What is tested of two values, as in Above.v for lambda = 1 + X/K: c s is what is computed
    before the release at time s, and the entries of a matrix are between those of below and above.
    *)
Definition tested_in_integers (n : nat) (K : Z) (B : nat -> nat -> nat -> R) (eps : nat -> R)
  (t j k : nat) (X : Z) : Prop :=
  match t with
  | O => (0 <= X)%Z
  | S p => exists (E : nat -> Z) (below above : nat -> nat -> nat -> Z) (c : nat -> nat -> Z),
    (forall s, (s <= p)%nat -> (0 <= E s)%Z /\ exp (eps s) * IZR K <= IZR (K + E s)) /\
    (forall s a b, (s < p)%nat -> (a < n)%nat -> (b < n)%nat ->
       IZR (below s b a) <= B s b a * IZR K <= IZR (above s b a)) /\
    (forall a, (a < n)%nat ->
       (B p j a - B p k a) * IZR K - IZR X * B p k a <= IZR (c p a)) /\
    (forall s a, (s < p)%nat -> (a < n)%nat -> c s a = upward (total n (fun b =>
       let f := gained K (E (S s)) (c (S s) b) in
       (f * if (0 <? f)%Z then above s b a else below s b a)%Z)) K) /\
    (total n (fun a => gained K (E 0%nat) (c 0%nat a)) <= 0)%Z
  end.

(** What is tested with lines: c is at most u - x v for all x at which no line changes its sign,
    and x = X/K is one of them. The entries of a column that is rounded are within below and
    below + 1. Each release divides all lines by less, to keep them short. *)
Definition tested_by_lines (n : nat) (K : Z) (B : nat -> nat -> nat -> R) (eps : nat -> R)
  (t j k : nat) (X : Z) : Prop :=
  (0 <= X)%Z /\
  match t with
  | O => True
  | S p => exists (E : nat -> Z) (below : nat -> nat -> nat -> Z) (is_rounded : nat -> nat -> bool)
      (less : nat -> Z) (u v : nat -> nat -> Z) (is_above : nat -> nat -> bool),
    let f s a := if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a in
    let g s a := if is_above s a then (v s a + E s * v s a / K)%Z else v s a in
    (forall s, (s <= p)%nat -> (0 <= E s)%Z /\ exp (eps s) * IZR K <= IZR (K + E s)) /\
    (forall s a b, (s < p)%nat -> (a < n)%nat -> (b < n)%nat -> (0 <= below s b a)%Z /\
       IZR (below s b a) <= B s b a * IZR K <=
         IZR (below s b a + if is_rounded s a then 1 else 0)) /\
    (forall a, (a < n)%nat -> (B p j a - B p k a) * IZR K <= IZR (u p a) /\
       IZR (v p a) <= B p k a * IZR K) /\
    (forall s a, (s <= p)%nat -> (a < n)%nat -> (0 <= v s a)%Z /\
       if is_above s a then (X * v s a <= u s a * K)%Z else (u s a * K <= X * v s a)%Z) /\
    (forall s a, (s < p)%nat -> (a < n)%nat -> (0 < less s)%Z /\
       u s a = upward (total n (fun b => f (S s) b * below s b a)%Z +
         if is_rounded s a then total n (fun b => Z.max (f (S s) b) 0) else 0%Z) (less s) /\
       v s a = (total n (fun b => g (S s) b * below s b a) / less s)%Z) /\
    (total n (f 0%nat) * K <= X * total n (g 0%nat))%Z
  end.

(** ** Roundings *)

Lemma upward_above a K : (0 < K)%Z -> IZR a <= IZR (upward a K) * IZR K.
Proof.
  intros H. rewrite <- mult_IZR. apply IZR_le. unfold upward.
  pose proof (Z.mul_div_le (- a) K H). nia.
Qed.

Lemma downward_below a K : (0 < K)%Z -> IZR (a / K) * IZR K <= IZR a.
Proof.
  intros H. rewrite <- mult_IZR. apply IZR_le. pose proof (Z.mul_div_le a K H). nia.
Qed.

Lemma total_sum n x : IZR (total n x) = sum n (fun a => IZR (x a)).
Proof. induction n; simpl; [reflexivity|]. rewrite plus_IZR, IHn. reflexivity. Qed.

Lemma quotient_times x y : 0 < y -> x / y * y = x.
Proof. intros H. field. lra. Qed.

Lemma gained_above K E c up : (0 < K)%Z -> (0 <= E)%Z -> up 0%nat = IZR c / IZR K ->
  Phi (1 + IZR E / IZR K) up 0 <= IZR (gained K E c) / IZR K.
Proof.
  intros HK HE Hup. pose proof (IZR_lt _ _ HK) as HR. unfold Phi, gained.
  assert (Hc : up 0%nat * IZR K = IZR c) by (rewrite Hup; field; lra).
  destruct (Z.ltb_spec 0 c) as [Hpos|Hneg].
  - pose proof (upward_above (E * c) K HK) as Hu. rewrite mult_IZR in Hu.
    apply IZR_lt in Hpos. destruct (Rlt_dec 0 (up 0%nat)) as [_|N]; [|nra].
    rewrite plus_IZR, Hup. apply Rmult_le_reg_r with (IZR K * IZR K); [nra|].
    replace ((1 + IZR E / IZR K) * (IZR c / IZR K) * (IZR K * IZR K)) with
      (IZR c * IZR K + IZR E * IZR c) by (field; lra).
    replace ((IZR c + IZR (upward (E * c) K)) / IZR K * (IZR K * IZR K)) with
      (IZR c * IZR K + IZR (upward (E * c) K) * IZR K) by (field; lra). lra.
  - apply IZR_le in Hneg. destruct (Rlt_dec 0 (up 0%nat)) as [N|_]; [nra|]. rewrite Hup. lra.
Qed.

(** ** The tests in integers *)

Theorem integers_test n K B eps t j k X : (0 < K)%Z -> (forall t, stochastic n (B t)) ->
  tested_in_integers n K B eps t j k X ->
  tested n B eps t j k (1 + IZR X / IZR K).
Proof.
  intros HK HB H. pose proof (IZR_lt _ _ HK) as HR. destruct t as [|p].
  { simpl in *. apply IZR_le in H. assert (0 <= IZR X / IZR K) by (apply Rle_mult_inv_pos; lra).
    lra. }
  destruct H as [E [below [above [c [HE [Hentry [Hstart [Hstep Hend]]]]]]]].
  assert (Hexp : forall s, (s <= p)%nat -> exp (eps s) <= 1 + IZR (E s) / IZR K) by
    (intros s Hs; destruct (HE s Hs) as [_ H]; rewrite plus_IZR in H;
     apply Rmult_le_reg_r with (IZR K); [lra|];
     replace ((1 + IZR (E s) / IZR K) * IZR K) with (IZR K + IZR (E s)) by (field; lra); lra).
  assert (HPhi : forall s a, (s <= p)%nat -> Phi (1 + IZR (E s) / IZR K) (fun a => IZR (c s a) /
    IZR K) a <= IZR (gained K (E s) (c s a)) / IZR K).
  { intros s a Hs. apply (gained_above K (E s) (c s a) (fun _ => IZR (c s a) / IZR K)); auto.
    apply HE. assumption. }
  exists 0%nat, (fun s a => IZR (c s a) / IZR K), (fun s => 1 + IZR (E s) / IZR K), (fun _ => 1).
  split; [lia|]. split.
  { intros a b odds _ _ _ Ho. simpl in Ho. subst odds. rewrite Rmult_1_r. apply Hexp. lia. }
  split; [intros s Hs; apply Hexp; lia|]. split.
  { intros a Ha. unfold difference. specialize (Hstart a Ha).
    apply Rmult_le_reg_r with (IZR K); [lra|].
    replace ((B p j a - (1 + IZR X / IZR K) * B p k a) * IZR K) with
      ((B p j a - B p k a) * IZR K - IZR X * B p k a) by (field; lra).
    replace (IZR (c p a) / IZR K * IZR K) with (IZR (c p a)) by (field; lra). lra. }
  split; [intros; lra|]. split.
  - intros s a Hs Ha. rewrite Rmult_1_l. rewrite (Hstep s a) by lia.
    set (f := fun b => gained K (E (S s)) (c (S s) b)).
    set (m := fun b => (f b * if (0 <? f b)%Z then above s b a else below s b a)%Z).
    change (back n (B s) (Phi (1 + IZR (E (S s)) / IZR K) (fun a => IZR (c (S s) a) / IZR K)) a <=
      IZR (upward (total n m) K) / IZR K).
    apply Rle_trans with (sum n (fun b => IZR (m b) * / (IZR K * IZR K))).
    + unfold back. apply sum_le. intros b Hb. destruct (HB s b Hb) as [H0 _].
      specialize (H0 a Ha). eapply Rle_trans.
      { apply Rmult_le_compat_l; [exact H0|]. apply HPhi. lia. }
      fold (f b). destruct (Hentry s a b ltac:(lia) Ha Hb) as [Hlow Hhigh].
      apply Rmult_le_reg_r with (IZR K * IZR K); [nra|].
      replace (B s b a * (IZR (f b) / IZR K) * (IZR K * IZR K)) with (B s b a * IZR K * IZR (f b))
        by (field; lra).
      replace (IZR (m b) * / (IZR K * IZR K) * (IZR K * IZR K)) with (IZR (m b)) by (field; lra).
      unfold m. rewrite mult_IZR.
      destruct (Z.ltb_spec 0 (f b)) as [P|N].
      * apply IZR_lt in P. nra.
      * apply IZR_le in N. nra.
    + rewrite sum_scale_r, <- total_sum. pose proof (upward_above (total n m) K HK).
      apply Rmult_le_reg_r with (IZR K * IZR K); [nra|].
      replace (IZR (total n m) * / (IZR K * IZR K) * (IZR K * IZR K)) with (IZR (total n m)) by
        (field; lra).
      replace (IZR (upward (total n m) K) / IZR K * (IZR K * IZR K)) with
        (IZR (upward (total n m) K) * IZR K) by (field; lra). lra.
  - left. apply Rle_trans with (sum n (fun a => IZR (gained K (E 0%nat) (c 0%nat a)) * / IZR K)).
    + apply sum_le. intros a Ha. apply HPhi. lia.
    + rewrite sum_scale_r, <- total_sum. apply IZR_le in Hend.
      assert (0 < / IZR K) by (apply Rinv_0_lt_compat; lra). nra.
Qed.

Theorem lines_test n K B eps t j k X : (0 < K)%Z -> (forall t, stochastic n (B t)) ->
  tested_by_lines n K B eps t j k X ->
  tested n B eps t j k (1 + IZR X / IZR K).
Proof.
  intros HK HB [HX H]. pose proof (IZR_lt _ _ HK) as HR. apply IZR_le in HX.
  destruct t as [|p].
  { simpl. assert (0 <= IZR X / IZR K) by (apply Rle_mult_inv_pos; lra). lra. }
  destruct H as [E [below [is_rounded [less [u [v [is_above [HE [Hentry [Hstart [Hsign [Hstep
    Hend]]]]]]]]]]]].
  set (f := fun s a => if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a) in *.
  set (g := fun s a => if is_above s a then (v s a + E s * v s a / K)%Z else v s a) in *.
  set (up := fun s a => (IZR (u s a) * IZR K - IZR X * IZR (v s a)) / (IZR K * IZR K)).
  assert (Hexp : forall s, (s <= p)%nat -> exp (eps s) <= 1 + IZR (E s) / IZR K) by
    (intros s Hs; destruct (HE s Hs) as [_ H]; rewrite plus_IZR in H;
     apply Rmult_le_reg_r with (IZR K); [lra|];
     replace ((1 + IZR (E s) / IZR K) * IZR K) with (IZR K + IZR (E s)) by (field; lra); lra).
  assert (HPhi : forall s a, (s <= p)%nat -> (a < n)%nat -> 0 <= IZR (g s a) /\
    Phi (1 + IZR (E s) / IZR K) (up s) a <=
      (IZR (f s a) * IZR K - IZR X * IZR (g s a)) / (IZR K * IZR K)).
  { intros s a Hs Ha. destruct (HE s Hs) as [HE0 _]. apply IZR_le in HE0.
    destruct (Hsign s a Hs Ha) as [Hv Hsg]. apply IZR_le in Hv.
    assert (Hup : up s a * (IZR K * IZR K) = IZR (u s a) * IZR K - IZR X * IZR (v s a)) by
      (unfold up; field; lra).
    unfold Phi, f, g. destruct (is_above s a).
    - apply IZR_le in Hsg. rewrite !mult_IZR in Hsg.
      pose proof (upward_above (E s * u s a) K HK) as Hu. rewrite mult_IZR in Hu.
      pose proof (downward_below (E s * v s a) K HK) as Hd. rewrite mult_IZR in Hd.
      assert (Hg : (0 <= E s * v s a / K)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg;
        apply le_IZR; assumption|lia]). apply IZR_le in Hg.
      rewrite !plus_IZR. split; [lra|].
      assert (0 <= up s a) by (apply Rmult_le_reg_r with (IZR K * IZR K); [nra|lra]).
      apply Rle_trans with ((1 + IZR (E s) / IZR K) * up s a).
      { destruct (Rlt_dec 0 (up s a)); [lra|]. replace (up s a) with 0 by lra. lra. }
      apply Rmult_le_reg_r with (IZR K * IZR K); [nra|].
      rewrite Rmult_assoc, Hup, quotient_times by nra.
      apply Rmult_le_reg_r with (IZR K); [lra|].
      replace ((1 + IZR (E s) / IZR K) * (IZR (u s a) * IZR K - IZR X * IZR (v s a)) * IZR K) with
        ((IZR (u s a) * IZR K - IZR X * IZR (v s a)) * IZR K + IZR (E s) * IZR (u s a) * IZR K -
        IZR X * (IZR (E s) * IZR (v s a))) by (field; lra).
      assert (IZR X * (IZR (E s * v s a / K) * IZR K) <= IZR X * (IZR (E s) * IZR (v s a))) by
        (apply Rmult_le_compat_l; lra).
      assert (IZR (E s) * IZR (u s a) * IZR K <= IZR (upward (E s * u s a) K) * IZR K * IZR K) by
        (apply Rmult_le_compat_r; lra). lra.
    - apply IZR_le in Hsg. rewrite !mult_IZR in Hsg. split; [lra|].
      destruct (Rlt_dec 0 (up s a)) as [P|_]; [|unfold up; lra].
      assert (0 < up s a * (IZR K * IZR K)) by (apply Rmult_lt_0_compat; nra). lra. }
  exists 0%nat, up, (fun s => 1 + IZR (E s) / IZR K), (fun s => IZR K / IZR (Z.max 1 (less s))).
  split; [lia|]. split.
  { intros a b odds _ _ _ Ho. simpl in Ho. subst odds. rewrite Rmult_1_r. apply Hexp. lia. }
  split; [intros s Hs; apply Hexp; lia|]. split.
  { intros a Ha. unfold difference, up. destruct (Hstart a Ha) as [Hu Hv].
    apply Rmult_le_reg_r with (IZR K * IZR K); [nra|]. rewrite quotient_times by nra.
    replace ((B p j a - (1 + IZR X / IZR K) * B p k a) * (IZR K * IZR K)) with
      ((B p j a - B p k a) * IZR K * IZR K - IZR X * (B p k a * IZR K)) by (field; lra).
    assert (IZR X * IZR (v p a) <= IZR X * (B p k a * IZR K)) by (apply Rmult_le_compat_l; lra).
    assert ((B p j a - B p k a) * IZR K * IZR K <= IZR (u p a) * IZR K) by
      (apply Rmult_le_compat_r; lra). lra. }
  split.
  { intros s. apply Rdiv_lt_0_compat; [lra|]. apply IZR_lt. lia. }
  split.
  - intros s a Hs Ha. destruct (Hstep s a ltac:(lia) Ha) as [HD [Hu Hv]].
    rewrite Z.max_r by lia. pose proof (IZR_lt _ _ HD) as HL.
    set (su := (total n (fun b => f (S s) b * below s b a)%Z +
      if is_rounded s a then total n (fun b => Z.max (f (S s) b) 0) else 0%Z)%Z).
    set (sv := total n (fun b => g (S s) b * below s b a)%Z).
    change (u s a = upward su (less s)) in Hu. change (v s a = sv / less s)%Z in Hv.
    pose proof (upward_above su (less s) HD) as Hup. rewrite <- Hu in Hup.
    pose proof (downward_below sv (less s) HD) as Hdown. rewrite <- Hv in Hdown.
    assert (Hsum : back n (B s) (Phi (1 + IZR (E (S s)) / IZR K) (up (S s))) a *
      (IZR K * IZR K * IZR K) <= IZR su * IZR K - IZR X * IZR sv).
    { apply Rle_trans with (sum n (fun b => (IZR (f (S s) b * below s b a) +
        IZR (if is_rounded s a then Z.max (f (S s) b) 0 else 0)) * IZR K -
        IZR X * IZR (g (S s) b * below s b a))).
      - unfold back. rewrite <- sum_scale_r. apply sum_le. intros b Hb.
        destruct (HB s b Hb) as [H0 _]. specialize (H0 a Ha).
        destruct (HPhi (S s) b ltac:(lia) Hb) as [Hg HP].
        destruct (Hentry s a b ltac:(lia) Ha Hb) as [Hpos [Hlow Hhigh]].
        apply Rle_trans with (B s b a * IZR K * (IZR (f (S s) b) * IZR K -
          IZR X * IZR (g (S s) b))).
        { apply Rle_trans with (B s b a * ((IZR (f (S s) b) * IZR K - IZR X * IZR (g (S s) b)) /
            (IZR K * IZR K)) * (IZR K * IZR K * IZR K)).
          - apply Rmult_le_compat_r; [apply Rmult_le_pos; nra|].
            apply Rmult_le_compat_l; assumption.
          - right. field. lra. }
        rewrite !mult_IZR.
        assert (HgB : IZR X * (IZR (g (S s) b) * IZR (below s b a)) <=
          IZR X * (IZR (g (S s) b) * (B s b a * IZR K))) by
          (apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; lra).
        assert (HfB : B s b a * IZR K * IZR (f (S s) b) <= IZR (f (S s) b) * IZR (below s b a) +
          IZR (if is_rounded s a then Z.max (f (S s) b) 0 else 0)).
        { destruct (Z.le_gt_cases 0 (f (S s) b)) as [P|N].
          - destruct (is_rounded s a); rewrite plus_IZR in Hhigh; apply IZR_le in P.
            + rewrite Z.max_l by (apply le_IZR; assumption). nra.
            + nra.
          - apply IZR_lt in N. destruct (is_rounded s a).
            + rewrite Z.max_r by (apply lt_IZR in N; lia). nra.
            + nra. }
        assert (B s b a * IZR K * IZR (f (S s) b) * IZR K <= (IZR (f (S s) b) * IZR (below s b a) +
          IZR (if is_rounded s a then Z.max (f (S s) b) 0 else 0)) * IZR K) by
          (apply Rmult_le_compat_r; lra). lra.
      - rewrite sum_minus, sum_scale_r, sum_scale, sum_plus, <- !total_sum. unfold su, sv.
        rewrite plus_IZR. destruct (is_rounded s a); [lra|]. rewrite (total_sum n (fun _ => 0%Z)),
          sum_zero. lra. }
    apply Rmult_le_reg_r with (IZR K * IZR K * IZR (less s)); [apply Rmult_lt_0_compat; nra|].
    replace (up s a * (IZR K * IZR K * IZR (less s))) with
      (IZR (u s a) * IZR (less s) * IZR K - IZR X * (IZR (v s a) * IZR (less s))) by
      (unfold up; field; lra).
    replace (IZR K / IZR (less s) * back n (B s) (Phi (1 + IZR (E (S s)) / IZR K) (up (S s))) a *
      (IZR K * IZR K * IZR (less s))) with
      (back n (B s) (Phi (1 + IZR (E (S s)) / IZR K) (up (S s))) a * (IZR K * IZR K * IZR K)) by
      (field; lra).
    assert (IZR X * (IZR (v s a) * IZR (less s)) <= IZR X * IZR sv) by
      (apply Rmult_le_compat_l; lra).
    assert (IZR su * IZR K <= IZR (u s a) * IZR (less s) * IZR K) by
      (apply Rmult_le_compat_r; lra). lra.
  - left. change (total n (f 0%nat) * K <= X * total n (g 0%nat))%Z in Hend.
    apply IZR_le in Hend. rewrite !mult_IZR, !total_sum in Hend.
    apply Rle_trans with (sum n (fun a => (IZR (f 0%nat a) * IZR K - IZR X * IZR (g 0%nat a)) *
      / (IZR K * IZR K))).
    + apply sum_le. intros a Ha. apply HPhi; [lia|assumption].
    + rewrite sum_scale_r, sum_minus, sum_scale_r, sum_scale.
      rewrite <- (Rmult_0_l (/ (IZR K * IZR K))).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra|lra].
Qed.

(** So they bound the greatest ratio, B_t(j,k). *)
Theorem integers_bound n K B eps t j k X odds : (0 < K)%Z -> (forall t, stochastic n (B t)) ->
  (forall t, 0 <= eps t) -> (j < n)%nat -> (k < n)%nat -> j <> k ->
  tested_in_integers n K B eps t j k X \/ tested_by_lines n K B eps t j k X ->
  greatest_before n B eps t j k odds -> odds <= 1 + IZR X / IZR K.
Proof.
  intros HK HB He Hj Hk Hjk H. apply tested_bound; auto.
  destruct H; [apply integers_test|apply lines_test]; assumption.
Qed.
