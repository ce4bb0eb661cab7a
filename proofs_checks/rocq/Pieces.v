(** The loss function whole: the pieces of a pair of rows (Theorems 8 and 9), and of L (Theorem
    10). *)

From TPL Require Export Loss.
Open Scope R_scope.

(** ** Two pieces cross at most once above 0 *)

(** The sign of the difference of two pieces is that of E ((q - q') + (d' - d) + E (q d' - q' d)).
    *)
Lemma piece_compare q d q' d' A : 0 <= d -> 0 <= d' -> 1 <= A ->
  (piece q' d' A <= piece q d A <->
   0 <= (A - 1) * ((q - q') + (d' - d) + (A - 1) * (q * d' - q' * d))).
Proof.
  intros Hd Hd' HA. unfold piece.
  assert (H1 : 0 < d * (A - 1) + 1) by nra. assert (H2 : 0 < d' * (A - 1) + 1) by nra.
  assert (E : (q * (A - 1) + 1) / (d * (A - 1) + 1) - (q' * (A - 1) + 1) / (d' * (A - 1) + 1)
    = (A - 1) * ((q - q') + (d' - d) + (A - 1) * (q * d' - q' * d)) * / ((d * (A - 1) + 1) *
      (d' * (A - 1) + 1)))
    by (field; lra).
  assert (0 < / ((d * (A - 1) + 1) * (d' * (A - 1) + 1))) by (apply Rinv_0_lt_compat;
    apply Rmult_lt_0_compat; assumption).
  split; intros H0.
  - apply Rmult_le_reg_r with (/ ((d * (A - 1) + 1) * (d' * (A - 1) + 1))); [assumption|]. lra.
  - assert (0 <= (A - 1) * ((q - q') + (d' - d) + (A - 1) * (q * d' - q' * d)) *
                 / ((d * (A - 1) + 1) * (d' * (A - 1) + 1))) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Theorem 10 [thm:gen_L_func]. *)
Theorem theorem_10 q d q' d' a_1 a_2 alpha : 0 <= d -> 0 <= d' -> 0 < a_1 < a_2 ->
  a_1 <= alpha <= a_2 ->
  piece q d (exp a_1) >= piece q' d' (exp a_1) -> piece q d (exp a_2) >= piece q' d' (exp a_2) ->
  piece q d (exp alpha) >= piece q' d' (exp alpha).
Proof.
  intros Hd Hd' Ha Hb H1 H2.
  assert (Hlow : 1 < exp a_1) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (HE1 : exp a_1 <= exp alpha) by (apply exp_le; lra).
  assert (HE2 : exp alpha <= exp a_2) by (apply exp_le; lra).
  apply Rle_ge. apply Rge_le in H1, H2.
  rewrite piece_compare in H1, H2 |- * by lra.
  set (x := exp a_1) in *. set (y := exp a_2) in *. set (z := exp alpha) in *.
  set (u := q - q' + (d' - d)) in *. set (w := q * d' - q' * d) in *.
  assert (0 <= u + (x - 1) * w) by nra. assert (0 <= u + (y - 1) * w) by nra.
  apply Rmult_le_pos; [lra|].
  destruct (Rle_dec 0 w); nra.
Qed.

(** A piece that is greatest at both ends of an interval of ratios is greatest within: the rule (P)
    of the certificate checker. The interval may begin at alpha = 0, where q - d decides, and have
    no end, where q d' >= q' d decides. *)
Definition dominates_at (q d q' d' A : R) : Prop := piece q' d' A <= piece q d A /\ 1 < A.
Definition dominates_at_zero (q d q' d' : R) : Prop := q' - d' <= q - d.
Definition dominates_at_infinity (q d q' d' : R) : Prop := q' * d <= q * d'.

Theorem piece_rule q d q' d' A from : 0 <= d -> 0 <= d' -> 1 <= from <= A ->
  (from = 1 /\ dominates_at_zero q d q' d' \/ dominates_at q d q' d' from) ->
  ((exists to, A <= to /\ dominates_at q d q' d' to) \/ dominates_at_infinity q d q' d') ->
  piece q' d' A <= piece q d A.
Proof.
  unfold dominates_at, dominates_at_zero, dominates_at_infinity. intros Hd Hd' HA H1 H2.
  apply piece_compare; try lra. apply Rmult_le_pos; [lra|].
  assert (L1 : 0 <= q - q' + (d' - d) + (from - 1) * (q * d' - q' * d)).
  { destruct H1 as [[-> H1]|[H1 Hf]]; [lra|]. rewrite piece_compare in H1 by lra. nra. }
  destruct H2 as [[to [Hto [H2 H3]]]|H2].
  - rewrite piece_compare in H2 by lra.
    assert (0 <= q - q' + (d' - d) + (to - 1) * (q * d' - q' * d)) by nra.
    destruct (Rle_dec 0 (q * d' - q' * d)); nra.
  - nra.
Qed.

(** The loss function, whole: between two levels at which one pair of rows and one set are the
    greatest, L is that piece. *)
Theorem loss_piece n P j k S a_1 a_2 alpha : stochastic n P -> (j < n)%nat -> (k < n)%nat ->
  0 < a_1 < a_2 -> a_1 <= alpha <= a_2 ->
  loss n P a_1 = ln (piece_of n (P j) (P k) S (exp a_1)) ->
  loss n P a_2 = ln (piece_of n (P j) (P k) S (exp a_2)) ->
  loss n P alpha = ln (piece_of n (P j) (P k) S (exp alpha)).
Proof.
  intros HP Hj Hk Ha Hb H1 H2. unfold loss in *. f_equal.
  assert (Hpos : forall a, 0 < a -> 0 < piece_of n (P j) (P k) S (exp a)).
  { intros a Ha'. apply piece_of_pos; auto. apply exp_ratio. lra. }
  pose proof (gain_one n P (exp a_1)). pose proof (gain_one n P (exp a_2)).
  apply ln_inv in H1; [|lra|apply Hpos; lra]. apply ln_inv in H2; [|lra|apply Hpos; lra].
  apply Rle_antisym; [|apply gain_upper; auto].
  assert (Hall : forall j' k' S', (j' < n)%nat -> (k' < n)%nat ->
            piece_of n (P j') (P k') S' (exp alpha) <= piece_of n (P j) (P k) S (exp alpha)).
  { intros j' k' S' Hj' Hk'. apply Rge_le. unfold piece_of. apply theorem_10 with a_1 a_2; auto.
    - apply (sum_on_bounds n S (P k)); auto.
    - apply (sum_on_bounds n S' (P k')); auto.
    - apply Rle_ge. fold (piece_of n (P j) (P k) S (exp a_1)). rewrite <- H1. apply gain_upper;
      assumption.
    - apply Rle_ge. fold (piece_of n (P j) (P k) S (exp a_2)). rewrite <- H2. apply gain_upper;
      assumption. }
  apply gain_least; auto. rewrite <- (piece_of_nobody n (P j) (P k) (exp alpha)).
    apply Hall; assumption.
Qed.

(** ** The pieces of one pair of rows *)

(** q_1/d_1 >= ... >= q_n/d_n, ties included; the second part keeps a column of 0 and 0 from
    standing among those of q_j > d_j. *)
Definition falling (n : nat) (q d : nat -> R) : Prop :=
  forall i j, (i <= j)%nat -> (j < n)%nat -> q j * d i <= q i * d j /\ (q j > d j -> q i > d i).

(** The first k columns are those of q_j > d_j. *)
Definition first_above (n k : nat) (q d : nat -> R) : Prop :=
  (k <= n)%nat /\ forall j, (j < n)%nat -> ((j < k)%nat <-> q j > d j).

Definition prefix (m : nat) : set := fun j => Nat.ltb j m.

Lemma sum_on_prefix n m x : (m <= n)%nat -> sum_on n (prefix m) x = sum m x.
Proof.
  intros H. replace n with (m + (n - m))%nat by lia. generalize (n - m)%nat. clear. intros r.
  induction r as [|r IH].
  - rewrite Nat.add_0_r. apply sum_ext. intros j Hj. unfold prefix.
    destruct (Nat.ltb_spec j m); [reflexivity|lia].
  - rewrite Nat.add_succ_r. unfold sum_on in *. simpl. rewrite IH. unfold prefix.
    destruct (Nat.ltb_spec (m + r) m); [lia|lra].
Qed.

(** Theorem 8 [thm:lfp_k_case], corrected for ties: the sets that satisfy (22) and (23) are among
    the k prefixes q_1 + ... + q_m, 1 <= m <= k. *)
Theorem theorem_8 n k q d S A : distribution n q -> distribution n d -> 1 <= A ->
  falling n q d -> first_above n k q d -> (0 < k)%nat ->
  condition_1 n q d S A -> condition_2 n q d S A ->
  exists m, (1 <= m <= k)%nat /\ forall j, (j < n)%nat -> S j = prefix m j.
Proof.
  intros Hq Hd HA Hf [Hkn Hk] Hk0 H1 H2.
  pose proof (conditions_one n q d S A Hq Hd HA H2) as Hv.
  assert (Hdown : forall i j, (i <= j)%nat -> (j < n)%nat -> S j = true -> S i = true).
  { intros i j Hij Hj ES. destruct (S i) eqn:EI; [reflexivity|exfalso].
    assert (Hi : (i < n)%nat) by lia.
    pose proof (H1 j Hj ES). pose proof (H2 i Hi EI).
    pose proof (corollary_2 n q d S A Hq Hd HA H1 H2 j Hj ES).
    destruct (Hf i j Hij Hj) as [F1 F2]. specialize (F2 H3).
    pose proof (proj1 Hd i Hi). pose proof (proj1 Hd j Hj). pose proof (proj1 Hq j Hj).
      pose proof (proj1 Hq i Hi).
    set (v := piece_of n q d S A) in *.
    destruct (Req_dec (d i) 0) as [Z|Z]; [rewrite Z in *; lra|].
    assert (v * d j * d i < q j * d i) by (apply Rmult_lt_compat_r; lra).
    assert (q i * d j <= v * d i * d j) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Hex : forall m, (m <= n)%nat -> (forall j, (m <= j)%nat -> (j < n)%nat -> S j = false) ->
     exists m', (m' <= m)%nat /\ forall j, (j < n)%nat -> S j = prefix m' j).
  { induction m as [|m IH]; intros Hm Hout.
    - exists 0%nat. split; [lia|]. intros j Hj. rewrite Hout by lia. unfold prefix.
      destruct (Nat.ltb_spec j 0); [lia|reflexivity].
    - destruct (S m) eqn:E.
      + exists (Datatypes.S m). split; [lia|]. intros j Hj. unfold prefix.
        destruct (Nat.ltb_spec j (Datatypes.S m)).
        * apply Hdown with m; auto; lia.
        * apply Hout; lia.
      + destruct IH as [m' [Hm' HS]]; [lia| |exists m'; split; [lia|assumption]].
        intros j Hj1 Hj2. destruct (Nat.eq_dec j m) as [->|]; [assumption|apply Hout; lia]. }
  destruct (Hex k Hkn) as [m [Hm HS]].
  { intros j Hj1 Hj2. destruct (S j) eqn:E; [exfalso|reflexivity].
    pose proof (corollary_2 n q d S A Hq Hd HA H1 H2 j Hj2 E) as Hc. apply Hk in Hc;
      [lia|assumption]. }
  exists m. split; [|assumption]. split; [|assumption].
  destruct m; [exfalso|lia].
  assert (E : piece_of n q d S A = 1).
  { rewrite <- (piece_of_nobody n q d A). unfold piece_of.
    rewrite !(sum_on_ext n S (fun _ => false)); [reflexivity| |]; intros j Hj;
      rewrite HS by assumption; reflexivity. }
  assert (Z : S 0%nat = false) by (rewrite HS by lia; reflexivity).
  assert (Hc : condition_2 n q d S A) by assumption. specialize (Hc 0%nat ltac:(lia) Z).
    rewrite E in Hc.
  assert (q 0%nat > d 0%nat) by (apply Hk; lia). lra.
Qed.

(** alpha is at or above the transition point of the i-th column (from 1), the end of the prefix i,
    where e^(alpha_i) = (q_i - d_i) / (q^i d_i - d^i q_i) + 1, q^i = q_1 + ... + q_i; multiplied
    out. *)
Definition transition (q d : nat -> R) (i : nat) : R :=
  ln ((q (i - 1)%nat - d (i - 1)%nat) / (sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat) + 1).
Definition past_transition (q d : nat -> R) (i : nat) (A : R) : Prop :=
  q (i - 1)%nat - d (i - 1)%nat <= (A - 1) * (sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat).

(** It is the paper's transition point where that exists, and never passed where its denominator is
    not above 0. *)
Theorem transition_point q d i alpha : q (i - 1)%nat > d (i - 1)%nat -> 0 <= alpha ->
  (0 < sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat ->
   (past_transition q d i (exp alpha) <-> transition q d i <= alpha)) /\
  (sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat <= 0 -> ~ past_transition q d i (exp alpha)).
Proof.
  intros Hqd Ha. pose proof (exp_ratio alpha Ha). unfold past_transition, transition.
  set (u := q (i - 1)%nat - d (i - 1)%nat).
    set (w := sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat).
  assert (Hu : 0 < u) by (unfold u; lra). split; intros Hw.
  - assert (0 < u / w) by (apply Rdiv_lt_0_compat; assumption).
    assert (E : u / w * w = u) by (field; lra). split; intros H1.
    + apply exp_le_inv. rewrite exp_ln by lra. enough (u / w <= exp alpha - 1) by lra.
      apply Rmult_le_reg_r with w; lra.
    + apply exp_le in H1. rewrite exp_ln in H1 by lra.
      rewrite <- E. apply Rmult_le_compat_r; lra.
  - nra.
Qed.

Lemma past_transition_condition n m q d A : distribution n q -> distribution n d -> 1 <= A ->
  (m < n)%nat ->
  (past_transition q d (S m) A <-> q m <= piece_of n q d (prefix m) A * d m).
Proof.
  intros Hq Hd HA Hm. unfold past_transition. replace (S m - 1)%nat with m by lia. simpl.
  pose proof (piece_of_spec n q d (prefix m) A Hd HA) as Hs.
  pose proof (piece_denominator n d (prefix m) A Hd HA) as Hp.
  rewrite !sum_on_prefix in Hs by lia. rewrite !sum_on_prefix in Hp by lia.
  set (v := piece_of n q d (prefix m) A) in *. split; intros H.
  - apply Rmult_le_reg_r with (sum m d * (A - 1) + 1); [lra|].
    replace (v * d m * (sum m d * (A - 1) + 1)) with (v * (sum m d * (A - 1) + 1) * d m) by ring.
    rewrite Hs. lra.
  - apply Rmult_le_compat_r with (r := sum m d * (A - 1) + 1) in H; [|lra].
    replace (v * d m * (sum m d * (A - 1) + 1)) with (v * (sum m d * (A - 1) + 1) * d m) in
      H by ring.
    rewrite Hs in H. lra.
Qed.

Lemma past_transition_last n m q d A : distribution n q -> distribution n d -> 1 <= A ->
  (m < n)%nat ->
  (past_transition q d (S m) A <-> q m <= piece_of n q d (prefix (S m)) A * d m).
Proof.
  intros Hq Hd HA Hm. unfold past_transition. replace (S m - 1)%nat with m by lia.
  pose proof (piece_of_spec n q d (prefix (S m)) A Hd HA) as Hs.
  pose proof (piece_denominator n d (prefix (S m)) A Hd HA) as Hp.
  rewrite !sum_on_prefix in Hs by lia. rewrite !sum_on_prefix in Hp by lia.
  set (v := piece_of n q d (prefix (S m)) A) in *. set (a := sum (S m) q) in *.
    set (b := sum (S m) d) in *.
  split; intros H.
  - apply Rmult_le_reg_r with (b * (A - 1) + 1); [lra|].
    replace (v * d m * (b * (A - 1) + 1)) with (v * (b * (A - 1) + 1) * d m) by ring. rewrite Hs.
      lra.
  - apply Rmult_le_compat_r with (r := b * (A - 1) + 1) in H; [|lra].
    replace (v * d m * (b * (A - 1) + 1)) with (v * (b * (A - 1) + 1) * d m) in H by ring.
      rewrite Hs in H. lra.
Qed.

Lemma prefix_conditions n k m q d A : distribution n q -> distribution n d -> 1 <= A ->
  falling n q d -> first_above n k q d -> (1 <= m <= k)%nat ->
  ~ past_transition q d m A -> ((m < k)%nat -> past_transition q d (S m) A) ->
  condition_1 n q d (prefix m) A /\ condition_2 n q d (prefix m) A.
Proof.
  intros Hq Hd HA Hf [Hkn Hk] Hm Hbefore Hafter.
  destruct m as [|l]; [lia|]. assert (Hl : (l < n)%nat) by lia.
  rewrite (past_transition_last n l q d A Hq Hd HA Hl) in Hbefore.
  set (v := piece_of n q d (prefix (S l)) A) in *.
  assert (Hv : 1 <= v).
  { pose proof (piece_of_spec n q d (prefix (S l)) A Hd HA) as Hs. fold v in Hs.
    pose proof (piece_denominator n d (prefix (S l)) A Hd HA).
    assert (sum_on n (prefix (S l)) d <= sum_on n (prefix (S l)) q).
    { apply sum_le. intros j Hj. unfold prefix. destruct (Nat.ltb_spec j (S l)); [|lra].
      assert (q j > d j) by (apply Hk; [assumption|lia]). lra. }
    apply Rmult_le_reg_r with (sum_on n (prefix (S l)) d * (A - 1) + 1); [lra|]. nra. }
  split; intros j Hj E; unfold prefix in E; fold v.
  - apply Nat.ltb_lt in E. destruct (Hf j l ltac:(lia) Hl) as [F _].
    assert (q j > d j) by (apply Hk; [assumption|lia]). assert (q l > d l) by (apply Hk;
      [assumption|lia]).
    pose proof (proj1 Hd j Hj). pose proof (proj1 Hd l Hl).
    destruct (Req_dec (d j) 0) as [Z|Z]; [rewrite Z; lra|].
    assert (v * d l * d j < q l * d j) by (apply Rmult_lt_compat_r; lra).
    destruct (Req_dec (d l) 0) as [Zl|Zl]; [rewrite Zl in *; nra|].
    apply Rlt_gt. apply Rmult_lt_reg_r with (d l); [lra|]. lra.
  - apply Nat.ltb_ge in E. pose proof (proj1 Hd j Hj).
    destruct (Nat.eq_dec (S l) k) as [Ek|Ek].
    + assert (~ q j > d j) by (rewrite <- (Hk j Hj); lia). nra.
    + assert (Hm' : (S l < n)%nat) by lia.
      specialize (Hafter ltac:(lia)). rewrite (past_transition_condition n (S l) q d A Hq Hd HA
        Hm') in Hafter.
      fold v in Hafter. destruct (Hf (S l) j E Hj) as [F _].
      assert (q (S l) > d (S l)) by (apply Hk; [assumption|lia]). pose proof (proj1 Hd (S l) Hm').
      destruct (Req_dec (d (S l)) 0) as [Z|Z]; [rewrite Z in *; lra|].
      assert (q (S l) * d j <= v * d (S l) * d j) by (apply Rmult_le_compat_r; lra).
      apply Rmult_le_reg_r with (d (S l)); [lra|]. lra.
Qed.

(** Theorem 9 [thm:lfp_seg_func], ties included: from the transition point of the column m + 1 to
    that of the column m the optimum is the piece of the first m columns; *)
Theorem theorem_9 n k m q d alpha : distribution n q -> distribution n d -> 0 <= alpha ->
  falling n q d -> first_above n k q d -> (1 <= m <= k)%nat ->
  ~ past_transition q d m (exp alpha) -> ((m < k)%nat -> past_transition q d (S m) (exp alpha)) ->
  is_optimum n q d alpha (piece (sum m q) (sum m d) (exp alpha)).
Proof.
  intros Hq Hd Ha Hf Hk Hm Hb Hc.
  destruct (prefix_conditions n k m q d (exp alpha) Hq Hd (exp_ratio alpha Ha) Hf Hk Hm Hb Hc)
    as [H1 H2].
  pose proof (theorem_5 n q d alpha (prefix m) Hq Hd Ha H1 H2) as H.
  destruct Hk as [Hkn _]. rewrite !sum_on_prefix in H by lia. exact H.
Qed.

(** the transition points rise as m falls; *)
Theorem theorem_9_order n k m q d A : distribution n q -> distribution n d -> 1 <= A ->
  falling n q d -> first_above n k q d -> (1 <= m < k)%nat ->
  past_transition q d m A -> past_transition q d (S m) A.
Proof.
  intros Hq Hd HA Hf [Hkn Hk] Hm H. destruct m as [|l]; [lia|].
  assert (Hl : (l < n)%nat) by lia. assert (Hm' : (S l < n)%nat) by lia.
  rewrite (past_transition_last n l q d A Hq Hd HA Hl) in H.
  rewrite (past_transition_condition n (S l) q d A Hq Hd HA Hm').
  set (v := piece_of n q d (prefix (S l)) A) in *.
  destruct (Hf l (S l) ltac:(lia) Hm') as [F _]. assert (q l > d l) by (apply Hk;
    [assumption|lia]).
  pose proof (proj1 Hd l Hl). pose proof (proj1 Hd (S l) Hm').
  destruct (Req_dec (d l) 0) as [Z|Z]; [rewrite Z in *; lra|].
  assert (q l * d (S l) <= v * d l * d (S l)) by (apply Rmult_le_compat_r; lra).
  apply Rmult_le_reg_r with (d l); [lra|]. lra.
Qed.

(** and every level has its m. *)
Theorem theorem_9_all n k q d A : distribution n q -> distribution n d -> 1 <= A ->
  falling n q d -> first_above n k q d -> (0 < k)%nat ->
  exists m, (1 <= m <= k)%nat /\ ~ past_transition q d m A /\ ((m < k)%nat ->
    past_transition q d (S m) A).
Proof.
  intros Hq Hd HA Hf [Hkn Hk] Hk0.
  assert (Hfirst : ~ past_transition q d 1 A).
  { unfold past_transition. simpl. assert (q 0%nat > d 0%nat) by (apply Hk; lia). lra. }
  assert (H : forall l, (1 <= l <= k)%nat -> ~ past_transition q d l A ->
    exists m, (1 <= m <= k)%nat /\ ~ past_transition q d m A /\ ((m < k)%nat ->
      past_transition q d (S m) A)).
  { intros l. remember (k - l)%nat as r eqn:Er. revert l Er. induction r as [|r IH];
    intros l Er Hl Hp.
    - exists l. repeat split; auto; lia.
    - unfold past_transition in *.
      destruct (Rle_dec (q (S l - 1)%nat - d (S l - 1)%nat)
        ((A - 1) * (sum (S l) q * d (S l - 1)%nat - sum (S l) d * q (S l - 1)%nat))) as [Y|N].
      + exists l. repeat split; auto; lia.
      + apply (IH (S l)); [lia|lia|exact N]. }
  apply (H 1%nat); [lia|assumption].
Qed.
