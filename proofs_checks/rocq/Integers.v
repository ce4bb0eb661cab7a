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

(** What stands for the releases up to p: where no line is above 0, the budget of a release may be
    any, and the entries of a column that is rounded are within below and below + 1. *)
Definition rounded_stream (n : nat) (K : Z) (B : nat -> nat -> nat -> R) (eps : nat -> R) (p : nat)
  (E : nat -> Z) (below : nat -> nat -> nat -> Z) (is_rounded is_above : nat -> nat -> bool)
  : Prop :=
  (forall s, (s <= p)%nat -> (0 <= E s)%Z /\ (exp (eps s) * IZR K <= IZR (K + E s) \/
     forall a, (a < n)%nat -> is_above s a = false)) /\
  (forall s a b, (s < p)%nat -> (a < n)%nat -> (b < n)%nat -> (0 <= below s b a)%Z /\
     IZR (below s b a) <= B s b a * IZR K <= IZR (below s b a + if is_rounded s a then 1 else 0)).

(** What is tested with lines: c is at most u - x v for all x at which no line changes its sign,
    and x = X/K is one of them. Each release divides all lines by less, to keep them short. *)
Definition tested_by_lines (n : nat) (K : Z) (B : nat -> nat -> nat -> R) (eps : nat -> R)
  (t j k : nat) (X : Z) : Prop :=
  (0 <= X)%Z /\
  match t with
  | O => True
  | S p => exists (E : nat -> Z) (below : nat -> nat -> nat -> Z) (is_rounded : nat -> nat -> bool)
      (less : nat -> Z) (u v : nat -> nat -> Z) (is_above : nat -> nat -> bool),
    let f s a := if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a in
    let g s a := if is_above s a then (v s a + E s * v s a / K)%Z else v s a in
    rounded_stream n K B eps p E below is_rounded is_above /\
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

(** Whether a line is above 0 at y/K. n lines keep the signs that they have there between low_end
    and high_end, which are no farther apart than low and high; None: there is no end. *)
Definition is_over (K y : Z) (u v : nat -> Z) (a : nat) : bool := (y * v a <? u a * K)%Z.
Fixpoint low_end (n : nat) (K y : Z) (u v : nat -> Z) (low : Z) : Z :=
  match n with
  | O => low
  | S m => let least := low_end m K y u v low in
    if ((v m =? 0)%Z || is_over K y u v m)%bool then least
    else Z.max least (upward (u m * K) (v m))
  end.
Fixpoint high_end (n : nat) (K y : Z) (u v : nat -> Z) (high : option Z) : option Z :=
  match n with
  | O => high
  | S m => let most := high_end m K y u v high in
    if ((v m =? 0)%Z || negb (is_over K y u v m))%bool then most
    else Some match most with
      | Some h => Z.min h (u m * K / v m)
      | None => (u m * K / v m)%Z
      end
  end.
Definition below_end (x : Z) (high : option Z) : Prop :=
  match high with
  | Some h => (x <= h)%Z
  | None => True
  end.

(** What the search for X tests: signs and ends are computed, at y s for the release at time s.
    That is the x in question, or another for which this release was computed before, if x is
    between the ends that were found. W is at most U - x V between the last ends. X is where that
    line reaches 0; or, where W is at most 0 at x, the lower end, if it is reached first. *)
Definition tested_between_ends (n : nat) (K : Z) (B : nat -> nat -> nat -> R) (eps : nat -> R)
  (t j k : nat) (X : Z) : Prop :=
  match t with
  | O => (0 <= X)%Z
  | S p => exists (E : nat -> Z) (below : nat -> nat -> nat -> Z) (is_rounded : nat -> nat -> bool)
      (less : nat -> Z) (u v : nat -> nat -> Z) (y low : nat -> Z) (high : nat -> option Z)
      (x : Z),
    let is_above s a := is_over K (y s) (u s) (v s) a in
    let f s a := if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a in
    let g s a := if is_above s a then (v s a + E s * v s a / K)%Z else v s a in
    let zero := Z.max (upward (total n (f 0%nat) * K) (total n (g 0%nat))) 0 in
    rounded_stream n K B eps p E below is_rounded is_above /\
    (forall a, (a < n)%nat -> (B p j a - B p k a) * IZR K <= IZR (u p a) /\
       (0 <= v p a)%Z /\ IZR (v p a) <= B p k a * IZR K) /\
    (forall s a, (s < p)%nat -> (a < n)%nat -> (0 < less s)%Z /\
       u s a = upward (total n (fun b => f (S s) b * below s b a)%Z +
         if is_rounded s a then total n (fun b => Z.max (f (S s) b) 0) else 0%Z) (less s) /\
       v s a = (total n (fun b => g (S s) b * below s b a) / less s)%Z) /\
    (0 <= x)%Z /\ low (S p) = 0%Z /\ high (S p) = None /\
    (forall s, (s <= p)%nat -> low s = low_end n K (y s) (u s) (v s) (low (S s)) /\
       high s = high_end n K (y s) (u s) (v s) (high (S s)) /\
       (y s = x \/ (low s <= x)%Z /\ below_end x (high s))) /\
    (0 < total n (g 0%nat))%Z /\
    ((zero <= x)%Z /\ X = Z.max zero (low 0%nat) \/
     (x < zero)%Z /\ below_end zero (high 0%nat) /\ X = zero)
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
  split; [lia|].
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
  - right. split.
    { intros a b odds _ _ _ Ho. simpl in Ho. subst odds. rewrite Rmult_1_r. apply Hexp. lia. }
    apply Rle_trans with (sum n (fun a => IZR (gained K (E 0%nat) (c 0%nat a)) * / IZR K)).
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
  destruct H as [E [below [is_rounded [less [u [v [is_above [[HE Hentry] [Hstart [Hsign [Hstep
    Hend]]]]]]]]]]].
  set (f := fun s a => if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a) in *.
  set (g := fun s a => if is_above s a then (v s a + E s * v s a / K)%Z else v s a) in *.
  set (up := fun s a => (IZR (u s a) * IZR K - IZR X * IZR (v s a)) / (IZR K * IZR K)).
  set (e := fun s => Rmax (exp (eps s)) (1 + IZR (E s) / IZR K)).
  assert (Hexp : forall s, exp (eps s) <= e s) by (intros; apply Rmax_l).
  assert (HPhi : forall s a, (s <= p)%nat -> (a < n)%nat -> 0 <= IZR (g s a) /\
    Phi (e s) (up s) a <=
      (IZR (f s a) * IZR K - IZR X * IZR (g s a)) / (IZR K * IZR K)).
  { intros s a Hs Ha. destruct (HE s Hs) as [HE0 HE1]. apply IZR_le in HE0.
    destruct (Hsign s a Hs Ha) as [Hv Hsg]. apply IZR_le in Hv.
    assert (Hup : up s a * (IZR K * IZR K) = IZR (u s a) * IZR K - IZR X * IZR (v s a)) by
      (unfold up; field; lra).
    unfold Phi, f, g. destruct (is_above s a) eqn:Ha'.
    - assert (e s = 1 + IZR (E s) / IZR K) as ->.
      { destruct HE1 as [HE1|N]; [|rewrite (N a Ha) in Ha'; discriminate].
        rewrite plus_IZR in HE1. apply Rmax_right, Rmult_le_reg_r with (IZR K); [lra|].
        replace ((1 + IZR (E s) / IZR K) * IZR K) with (IZR K + IZR (E s)) by (field; lra). lra. }
      apply IZR_le in Hsg. rewrite !mult_IZR in Hsg.
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
  exists 0%nat, up, e, (fun s => IZR K / IZR (Z.max 1 (less s))).
  split; [lia|].
  split; [intros; apply Hexp|]. split.
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
    assert (Hsum : back n (B s) (Phi (e (S s)) (up (S s))) a *
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
    replace (IZR K / IZR (less s) * back n (B s) (Phi (e (S s)) (up (S s))) a *
      (IZR K * IZR K * IZR (less s))) with
      (back n (B s) (Phi (e (S s)) (up (S s))) a * (IZR K * IZR K * IZR K)) by
      (field; lra).
    assert (IZR X * (IZR (v s a) * IZR (less s)) <= IZR X * IZR sv) by
      (apply Rmult_le_compat_l; lra).
    assert (IZR su * IZR K <= IZR (u s a) * IZR (less s) * IZR K) by
      (apply Rmult_le_compat_r; lra). lra.
  - right. split.
    { intros a b odds _ _ _ Ho. simpl in Ho. subst odds. rewrite Rmult_1_r. apply Hexp. }
    change (total n (f 0%nat) * K <= X * total n (g 0%nat))%Z in Hend.
    apply IZR_le in Hend. rewrite !mult_IZR, !total_sum in Hend.
    apply Rle_trans with (sum n (fun a => (IZR (f 0%nat a) * IZR K - IZR X * IZR (g 0%nat a)) *
      / (IZR K * IZR K))).
    + apply sum_le. intros a Ha. apply HPhi; [lia|assumption].
    + rewrite sum_scale_r, sum_minus, sum_scale_r, sum_scale.
      rewrite <- (Rmult_0_l (/ (IZR K * IZR K))).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra|lra].
Qed.

(** ** The ends of the lines *)

Lemma upward_least a K x : (0 < K)%Z -> (upward a K <= x <-> a <= x * K)%Z.
Proof.
  intros H. unfold upward. pose proof (Z.div_le_lower_bound (- a) K (- x) H).
  pose proof (Z.mul_div_le (- a) K H). nia.
Qed.

Lemma total_nonneg n x : (forall a, (a < n)%nat -> (0 <= x a)%Z) -> (0 <= total n x)%Z.
Proof.
  intros H. induction n as [|n IH]; simpl; [lia|]. pose proof (H n ltac:(lia)).
  assert (0 <= total n x)%Z by (apply IH; intros; apply H; lia). lia.
Qed.

Lemma low_end_spec n K y u v low x : (forall a, (a < n)%nat -> (0 <= v a)%Z) ->
  (low_end n K y u v low <= x <-> low <= x /\
   forall a, (a < n)%nat -> v a <> 0 -> is_over K y u v a = false -> u a * K <= x * v a)%Z.
Proof.
  intros Hv. induction n as [|n IH]; simpl; [split; [split; [assumption|lia]|tauto]|].
  assert (Hn : (0 <= v n)%Z) by (apply Hv; lia). specialize (IH ltac:(intros; apply Hv; lia)).
  assert (D : forall a, (a < S n)%nat -> a = n \/ (a < n)%nat) by lia.
  destruct (Z.eqb_spec (v n) 0) as [Z0|Z0]; simpl; [|destruct (is_over K y u v n) eqn:O; simpl].
  3: rewrite Z.max_lub_iff, upward_least by lia.
  all: rewrite IH; split; [intros H; split; [tauto|]; intros a Ha; destruct (D a Ha) as [->|A];
    intros; [try congruence; tauto|apply H; assumption]|].
  all: intros [H1 H]; repeat split; auto.
Qed.

Lemma below_least x most h : below_end x (Some match most with
  | Some h' => Z.min h' h
  | None => h
  end) <-> below_end x most /\ (x <= h)%Z.
Proof. destruct most; simpl; lia. Qed.

Lemma high_end_spec n K y u v high x : (forall a, (a < n)%nat -> (0 <= v a)%Z) ->
  (below_end x (high_end n K y u v high) <-> below_end x high /\
   forall a, (a < n)%nat -> v a <> 0%Z -> is_over K y u v a = true -> (x * v a <= u a * K)%Z).
Proof.
  intros Hv. induction n as [|n IH]; cbn [high_end]; [split; [split; [assumption|lia]|tauto]|].
  assert (Hn : (0 <= v n)%Z) by (apply Hv; lia). specialize (IH ltac:(intros; apply Hv; lia)).
  assert (D : forall a, (a < S n)%nat -> a = n \/ (a < n)%nat) by lia.
  assert (Q : (v n <> 0 -> (x <= u n * K / v n <-> x * v n <= u n * K))%Z).
  { intros Z0. pose proof (Z.div_le_lower_bound (u n * K) (v n) x ltac:(lia)).
    pose proof (Z.mul_div_le (u n * K) (v n) ltac:(lia)). nia. }
  destruct (Z.eqb_spec (v n) 0) as [Z0|Z0]; cbn [orb negb];
    [|destruct (is_over K y u v n) eqn:O; cbn [orb negb]].
  2: rewrite below_least, Q by assumption.
  all: rewrite IH; split; [intros H; split; [tauto|]; intros a Ha; destruct (D a Ha) as [->|A];
    intros; [try congruence; tauto|apply H; assumption]|].
  all: intros [H1 H]; repeat split; auto.
Qed.

(** Between the ends that it computes no line changes its sign, so that the search tests what is
    tested with lines. *)
Theorem ends_test n K B eps t j k X : (0 < K)%Z -> tested_between_ends n K B eps t j k X ->
  tested_by_lines n K B eps t j k X.
Proof.
  intros HK H. destruct t as [|p]; [split; [exact H|exact I]|].
  destruct H as (E & below & is_rounded & less & u & v & y & low & high & x & H).
  set (is_above := fun s a => is_over K (y s) (u s) (v s) a) in *.
  set (f := fun s a => if is_above s a then (u s a + upward (E s * u s a) K)%Z else u s a) in *.
  set (g := fun s a => if is_above s a then (v s a + E s * v s a / K)%Z else v s a) in *.
  cbv zeta in H.
  destruct H as ((HE & Hentry) & Hstart & Hstep & Hx & Hlow & Hhigh & Hends & HV & HX).
  assert (Hv : forall d s a, (s + d = p)%nat -> (a < n)%nat -> (0 <= v s a)%Z).
  { induction d as [|d IH]; intros s a Hs Ha.
    - replace s with p by lia. apply Hstart. assumption.
    - destruct (Hstep s a ltac:(lia) Ha) as [HD [_ ->]]. apply Z.div_pos; [|exact HD].
      apply total_nonneg. intros b Hb. specialize (IH (S s) b ltac:(lia) Hb).
      apply Z.mul_nonneg_nonneg; [|apply (Hentry s a b); lia]. unfold g.
      destruct (HE (S s) ltac:(lia)) as [HE0 _].
      assert (0 <= E (S s) * v (S s) b / K)%Z by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg|];
        assumption). destruct (is_above (S s) b); lia. }
  assert (Hv' : forall s, (s <= p)%nat -> forall a, (a < n)%nat -> (0 <= v s a)%Z) by
    (intros s Hs a Ha; apply (Hv (p - s)%nat); [lia|assumption]).
  (* x is between the ends, as they are computed from there *)
  assert (Hwithin : forall d s, (s + d = S p)%nat -> (low s <= x)%Z /\ below_end x (high s)).
  { induction d as [|d IH]; intros s Hs.
    - replace s with (S p) by lia. rewrite Hlow, Hhigh. split; [exact Hx|exact I].
    - destruct (Hends s ltac:(lia)) as [L [U [Y|Y]]]; [|exact Y]. destruct (IH (S s) ltac:(lia)).
      rewrite L, U, low_end_spec, high_end_spec, Y by (apply Hv'; lia). unfold is_over.
      split; split; try assumption; intros a Ha _; [rewrite Z.ltb_ge|rewrite Z.ltb_lt]; lia. }
  destruct (Hwithin (S p) 0%nat ltac:(lia)) as [Hl Hh].
  assert (HXends : (low 0%nat <= X)%Z /\ below_end X (high 0%nat)).
  { destruct HX as [[Hz ->]|[Hz [Hb ->]]]; [|split; [lia|exact Hb]]. split; [lia|].
    unfold below_end in *. destruct (high 0%nat); [lia|exact I]. }
  assert (HXall : forall s, (s <= S p)%nat -> (low s <= X)%Z /\ below_end X (high s)).
  { induction s as [|s IH]; intros Hs; [exact HXends|]. destruct (IH ltac:(lia)) as [A1 A2].
    destruct (Hends s ltac:(lia)) as [L [U _]].
    rewrite L, low_end_spec in A1 by (apply Hv'; lia).
    rewrite U, high_end_spec in A2 by (apply Hv'; lia). tauto. }
  set (zero := Z.max (upward (total n (f 0%nat) * K) (total n (g 0%nat))) 0) in *.
  assert (Hzero : (zero <= X)%Z) by (destruct HX as [[_ ->]|[_ [_ ->]]]; [apply Z.le_max_l|
    apply Z.le_refl]).
  split; [lia|]. exists E, below, is_rounded, less, u, v, is_above. cbv zeta.
  split; [exact (conj HE Hentry)|]. split; [intros a Ha; split; apply Hstart; exact Ha|].
  split.
  - intros s a Hs Ha. split; [apply Hv'; assumption|].
    destruct (HXall s ltac:(lia)) as [A1 A2]. destruct (Hends s Hs) as [L [U _]].
    rewrite L, low_end_spec in A1 by (apply Hv'; lia).
    rewrite U, high_end_spec in A2 by (apply Hv'; lia).
    destruct A1 as [_ A1], A2 as [_ A2]. specialize (A1 a Ha). specialize (A2 a Ha).
    unfold is_above. destruct (is_over K (y s) (u s) (v s) a) eqn:O;
      destruct (Z.eq_dec (v s a) 0) as [Z0|Z0]; auto; unfold is_over in O; rewrite Z0 in *.
    + apply Z.ltb_lt in O. lia.
    + apply Z.ltb_ge in O. lia.
  - split; [exact Hstep|]. apply upward_least; [exact HV|]. lia.
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
