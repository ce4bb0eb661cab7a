(** The check from above of what Above.v does not have: the loss function between its breakpoints,
    the recursions, suprema, and histories. *)

From TPL Require Export Above.
Open Scope R_scope.

(** ** The loss function *)

(** What is tested of pieces from e^alpha = 1 + s i to 1 + s (i + 1), m of them and one that has no
    end: at 0 the slopes, at each breakpoint the gain, and what the last one tends to, if it does.
    *)
Definition tested_pieces (n : nat) (P : nat -> nat -> R) (m : nat) (s q d : nat -> R) : Prop :=
  s 0%nat = 0 /\ (forall i, (i <= m)%nat -> 0 <= q i /\ 0 <= d i) /\
  (forall j k, (j < n)%nat -> (k < n)%nat ->
     sum n (fun i => positive_part (P j i - P k i)) <= q 0%nat - d 0%nat) /\
  (forall i, (i < m)%nat -> s i < s (S i) /\
     piece (q i) (d i) (1 + s (S i)) = piece (q (S i)) (d (S i)) (1 + s (S i)) /\
     gain n P (1 + s (S i)) <= piece (q i) (d i) (1 + s (S i))) /\
  (0 < d m -> forall j k, (j < n)%nat -> (k < n)%nat ->
     sum n (fun i => positive_part (P j i - q m / d m * P k i)) <= 0).

(** A piece is at most another where a linear function of E = e^alpha - 1 is at or above 0. *)
Definition apart (a b q d E : R) : R := (q * b - a * d) * E + (q + b - a - d).

Lemma piece_apart a b q d E : 0 <= b -> 0 <= d -> 0 < E ->
  (piece a b (1 + E) <= piece q d (1 + E) <-> 0 <= apart a b q d E).
Proof.
  intros Hb Hd HE. unfold piece. replace (1 + E - 1) with E by ring.
  assert (0 <= b * E) by (apply Rmult_le_pos; lra).
  assert (0 <= d * E) by (apply Rmult_le_pos; lra).
  assert (X : (q * E + 1) / (d * E + 1) - (a * E + 1) / (b * E + 1) =
    E * apart a b q d E / ((d * E + 1) * (b * E + 1))) by (unfold apart; field; lra).
  assert (P : 0 < (d * E + 1) * (b * E + 1)) by (apply Rmult_lt_0_compat; lra).
  split; intros G.
  - assert (Y : 0 <= E * apart a b q d E / ((d * E + 1) * (b * E + 1)) *
      ((d * E + 1) * (b * E + 1))) by (apply Rmult_le_pos; lra).
    unfold Rdiv in Y. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Y by lra.
    apply Rmult_le_reg_l with E; lra.
  - assert (0 <= E * apart a b q d E / ((d * E + 1) * (b * E + 1))).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. exact P. }
    lra.
Qed.

Lemma apart_between a b q d x y E : x <= E <= y -> x < y -> 0 <= apart a b q d x ->
  0 <= apart a b q d y -> 0 <= apart a b q d E.
Proof.
  intros HE Hxy H H'. apply Rmult_le_reg_l with (y - x); [lra|].
  assert (0 <= apart a b q d x * (y - E)) by (apply Rmult_le_pos; lra).
  assert (0 <= apart a b q d y * (E - x)) by (apply Rmult_le_pos; lra).
  replace ((y - x) * apart a b q d E) with (apart a b q d x * (y - E) + apart a b q d y * (E - x))
    by (unfold apart; ring). lra.
Qed.

(** What is tested bounds the loss function everywhere. *)
Theorem pieces_loss n P m s q d i E : (0 < n)%nat -> stochastic n P -> tested_pieces n P m s q d ->
  (i <= m)%nat -> s i <= E -> ((i < m)%nat -> E <= s (S i)) ->
  gain n P (1 + E) <= piece (q i) (d i) (1 + E).
Proof.
  intros Hn HP [H0 [Hqd [Hslope [Hmeet Hend]]]] Hi HE Hnext.
  destruct (gain_attained n P (1 + E) Hn) as [j [k [U [Hj [Hk ->]]]]].
  pose proof (sum_on_bounds n U (P j) (HP j Hj)) as Ha.
  pose proof (sum_on_bounds n U (P k) (HP k Hk)) as Hb. unfold piece_of.
  set (a := sum_on n U (P j)) in *. set (b := sum_on n U (P k)) in *.
  assert (Hs : forall p, (p <= m)%nat -> 0 <= s p).
  { induction p as [|p IH]; intros Hp; [lra|]. destruct (Hmeet p Hp) as [Hlt _].
    specialize (IH ltac:(lia)). lra. }
  assert (Hset : forall x, a - x * b <= sum n (fun i => positive_part (P j i - x * P k i))).
  { intros x. eapply Rle_trans; [|apply (sum_on_positive_part n U)]. right. unfold a, b, sum_on.
    rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros l _. destruct (U l); ring. }
  assert (Hleft : 0 <= apart a b (q i) (d i) (s i)).
  { destruct i as [|p].
    - rewrite H0. unfold apart. pose proof (Hset 1) as X. specialize (Hslope j k Hj Hk).
      rewrite (sum_ext n _ (fun i => positive_part (P j i - P k i))) in X by
        (intros; f_equal; ring). lra.
    - destruct (Hmeet p Hi) as [Hlt [E' G]]. rewrite E' in G.
      specialize (Hs p ltac:(lia)). apply piece_apart; [apply Hb|apply Hqd; lia|lra|].
      eapply Rle_trans; [|exact G]. apply (gain_upper n P _ j k U); assumption. }
  assert (Hhere : 0 <= apart a b (q i) (d i) E).
  { destruct (le_lt_eq_dec i m Hi) as [Him| ->].
    - destruct (Hmeet i Him) as [Hlt [_ G]]. specialize (Hs i Hi).
      apply (apart_between a b _ _ (s i) (s (S i))); auto.
      apply piece_apart; [apply Hb|apply Hqd; lia|lra|].
      eapply Rle_trans; [|exact G]. apply (gain_upper n P _ j k U); assumption.
    - destruct (Hqd m (le_n m)) as [Hq [Hd | Hd]].
      + specialize (Hend Hd j k Hj Hk). pose proof (Hset (q m / d m)) as X.
        assert (0 <= (q m * b - a * d m) * (E - s m)).
        { apply Rmult_le_pos; [|lra]. assert (0 <= d m * (q m / d m * b - a)) by
            (apply Rmult_le_pos; lra).
          replace (d m * (q m / d m * b - a)) with (q m * b - a * d m) in * by (field; lra). lra. }
        unfold apart in *. lra.
      + rewrite <- Hd in *. assert (0 <= q m * b * (E - s m)) by (repeat apply Rmult_le_pos; lra).
        unfold apart in *. lra. }
  specialize (Hs i Hi). destruct (Rle_lt_or_eq_dec 0 E ltac:(lra)) as [HE0 | <-].
  - apply piece_apart; auto; [apply Hb|apply Hqd; lia].
  - right. unfold piece. replace (1 + 0 - 1) with 0 by ring. rewrite !Rmult_0_r. reflexivity.
Qed.

(** ** The recursions *)

Lemma gain_rises n P A A' : stochastic n P -> 1 <= A <= A' -> gain n P A <= gain n P A'.
Proof.
  intros HP H. rewrite <- (exp_ln A), <- (exp_ln A') by lra. rewrite <- !exp_loss.
  assert (X : 0 <= ln A) by (rewrite <- ln_1; destruct (Req_dec A 1) as [->|]; [lra|];
    left; apply ln_increasing; lra).
  assert (Y : ln A <= ln A') by (destruct (Req_dec A A') as [->|]; [lra|];
    left; apply ln_increasing; lra).
  destruct (loss_rises n P (ln A) (ln A') HP (conj X Y)) as [Z | ->]; [|lra].
  left. apply exp_increasing. exact Z.
Qed.

(** One step: a bound of what is carried on, from one of the level before. *)
Lemma carried_on n P e level x c y : stochastic n P -> 0 <= level -> exp level <= 1 + x ->
  gain n P (1 + x) <= 1 + c -> exp e * (1 + c) <= 1 + y ->
  exp (loss n P level) <= 1 + c /\ exp (loss n P level + e) <= 1 + y.
Proof.
  intros HP Hlevel Hx Hc Hy. pose proof (exp_ratio level Hlevel).
  assert (L : exp (loss n P level) <= 1 + c).
  { rewrite exp_loss. eapply Rle_trans; [|exact Hc]. apply gain_rises; [exact HP|lra]. }
  split; [exact L|]. rewrite exp_plus. eapply Rle_trans; [|exact Hy]. rewrite Rmult_comm.
  apply Rmult_le_compat_l; [left; apply exp_pos|exact L].
Qed.

(** What is carried from release to release, upward, bounds BPL by the recursion. [eq:bpl_f] *)
Theorem BPL_above n B eps (x c : nat -> R) t : (forall t, stochastic n (B t)) ->
  (forall t, 0 <= eps t) -> 0 <= c 0%nat ->
  (forall s, (s < t)%nat -> gain n (B s) (1 + x s) <= 1 + c (S s)) ->
  (forall s, (s <= t)%nat -> exp (eps s) * (1 + c s) <= 1 + x s) ->
  exp (BPL n B eps t) <= 1 + x t.
Proof.
  intros HB He H0 Hc Hx. induction t as [|t IH]; simpl.
  - specialize (Hx 0%nat (le_n 0)). pose proof (exp_pos (eps 0%nat)). nra.
  - apply (carried_on n (B t) (eps (S t)) _ (x t) (c (S t))); auto using BPL_nonneg.
Qed.

(** FPL by its recursion from time T back. [eq:fpl_f] *)
Theorem FPL_above n F eps (x c : nat -> R) k t : (forall t, stochastic n (F t)) ->
  (forall t, 0 <= eps t) -> 0 <= c (t + k)%nat ->
  (forall s, (t <= s < t + k)%nat -> gain n (F s) (1 + x (S s)) <= 1 + c s) ->
  (forall s, (t <= s <= t + k)%nat -> exp (eps s) * (1 + c s) <= 1 + x s) ->
  exp (FPL n F eps t k) <= 1 + x t /\ exp (FPL n F eps t k - eps t) <= 1 + c t.
Proof.
  intros HF He. revert t. induction k as [|k IH]; intros t H0 Hc Hx; simpl.
  - rewrite Nat.add_0_r in H0. specialize (Hx t ltac:(lia)). pose proof (exp_pos (eps t)).
    rewrite Rminus_diag_eq, exp_0 by reflexivity. split; [nra|lra].
  - rewrite Nat.add_succ_r in *. change (S (t + k)) with (S t + k)%nat in *.
    destruct (IH (S t) H0 ltac:(intros; apply Hc; lia) ltac:(intros; apply Hx; lia)) as [L _].
    destruct (carried_on n (F t) (eps t) (FPL n F eps (S t) k) (x (S t)) (c t) (x t)) as [X Y];
      auto using FPL_nonneg; [apply Hc; lia|apply Hx; lia|]. split; [exact Y|].
    replace (_ - eps t) with (loss n (F t) (FPL n F eps (S t) k)) by ring. exact X.
Qed.

(** TPL, the sum of two of their levels: one with the release, one without. [eq:tpl_comp1] *)
Theorem TPL_above n B F eps (x c y f : nat -> R) T t : (forall t, stochastic n (B t)) ->
  (forall t, stochastic n (F t)) -> (forall t, 0 <= eps t) -> (t <= T)%nat ->
  0 <= c 0%nat -> (forall s, (s < t)%nat -> gain n (B s) (1 + x s) <= 1 + c (S s)) ->
  (forall s, (s <= t)%nat -> exp (eps s) * (1 + c s) <= 1 + x s) ->
  0 <= f T -> (forall s, (t <= s < T)%nat -> gain n (F s) (1 + y (S s)) <= 1 + f s) ->
  (forall s, (t <= s <= T)%nat -> exp (eps s) * (1 + f s) <= 1 + y s) ->
  exp (TPL n B F eps T t) <= (1 + x t) * (1 + f t).
Proof.
  intros HB HF He Ht C0 Hc Hx F0 Hf Hy. unfold TPL.
  pose proof (BPL_above n B eps x c t HB He C0 Hc Hx) as X.
  assert (E : (t + (T - t) = T)%nat) by lia.
  destruct (FPL_above n F eps y f (T - t) t HF He) as [_ Y]; rewrite ?E; auto.
  replace (BPL n B eps t + FPL n F eps t (T - t) - eps t) with
    (BPL n B eps t + (FPL n F eps t (T - t) - eps t)) by ring. rewrite exp_plus.
  pose proof (exp_pos (BPL n B eps t)). pose proof (exp_pos (FPL n F eps t (T - t) - eps t)).
  apply Rmult_le_compat; lra.
Qed.

(** ** Suprema *)

(** What is tested of the values j and k so that B_t(j,k) <= lambda at all times t of all horizons:
    the sweep, over matrices Q from the time back, ends after depth releases with W <= 0, where a
    claim stands for what the last of them and all before it do to the odds of two values. Q
    continues the matrices beyond the first release as it likes. *)
Definition tested_for_ever (n : nat) (Q : nat -> nat -> nat -> R) (e : R) (claim : nat -> nat -> R)
  (j k : nat) (lambda : R) : Prop := exists depth up E (scale g : nat -> R),
  (forall i, stochastic n (Q i)) /\ exp e <= E /\
  (forall a, (a < n)%nat -> difference (Q 0%nat) j k lambda a <= up 0%nat a) /\
  (forall i, 0 < scale i) /\
  (forall i a, (i < depth)%nat -> (a < n)%nat ->
     scale i * back n (Q (S i)) (Phi E (up i)) a <= up (S i) a) /\
  (forall a, (a < n)%nat -> exp e <= g a) /\
  (forall a b, (a < n)%nat -> (b < n)%nat -> 0 < up depth a -> up depth b < 0 ->
     claim a b <= g a) /\
  sum n (fun a => if Rlt_dec 0 (up depth a) then g a * up depth a else up depth a) <= 0.

Lemma sum_Phi_back n P E c : stochastic n P ->
  sum n (back n P (Phi E c)) = sum n (Phi E c).
Proof.
  intros HP. unfold back. rewrite sum_swap. apply sum_ext. intros a Ha. rewrite sum_scale_r.
  change (sum n (P a) * Phi E c a = Phi E c a). rewrite (proj2 (HP a Ha)). ring.
Qed.

Lemma Phi_less n x y c : x <= y -> sum n (Phi x c) <= sum n (Phi y c).
Proof.
  intros H. apply sum_le. intros a _. unfold Phi. destruct (Rlt_dec 0 (c a)); [|lra].
  apply Rmult_le_compat_r; lra.
Qed.

(** Where the sweep ends with W <= 0 it would have done so before, at any release that is the
    first. *)
Lemma ended_before n Q e E up scale depth d : (forall i, stochastic n (Q i)) -> 1 <= e <= E ->
  (forall i, 0 < scale i) ->
  (forall i a, (i < depth)%nat -> (a < n)%nat ->
     scale i * back n (Q (S i)) (Phi E (up i)) a <= up (S i) a) ->
  sum n (Phi e (up depth)) <= 0 -> (d <= depth)%nat -> sum n (Phi e (up (depth - d)%nat)) <= 0.
Proof.
  intros HQ He Hscale Hstep H. induction d as [|d IH]; intros Hd; [rewrite Nat.sub_0_r; exact H|].
  specialize (IH ltac:(lia)). set (i := (depth - S d)%nat).
  replace (depth - d)%nat with (S i) in IH by (unfold i; lia).
  assert (X : sum n (up (S i)) <= 0).
  { eapply Rle_trans; [|exact IH]. apply sum_le. intros a _. unfold Phi.
    destruct (Rlt_dec 0 (up (S i) a)); [nra|lra]. }
  assert (Y : scale i * sum n (Phi E (up i)) <= 0).
  { eapply Rle_trans; [|exact X]. rewrite <- (sum_Phi_back n (Q (S i))) by apply HQ.
    rewrite <- sum_scale. apply sum_le. intros a Ha. apply Hstep; [unfold i; lia|exact Ha]. }
  specialize (Hscale i). eapply Rle_trans; [apply (Phi_less n e E); apply He|]. nra.
Qed.

(** With claims for each pair of values: what W <= 0 says of likelihoods for which they hold. *)
Lemma claimed_end n claim (g L c : nat -> R) : (0 < n)%nat ->
  (forall a, (a < n)%nat -> 0 <= L a) ->
  (forall a, (a < n)%nat -> 0 < g a) ->
  (forall a b, (a < n)%nat -> (b < n)%nat -> a <> b -> L a <= claim a b * L b) ->
  (forall a b, (a < n)%nat -> (b < n)%nat -> 0 < c a -> c b < 0 -> claim a b <= g a) ->
  sum n (fun a => if Rlt_dec 0 (c a) then g a * c a else c a) <= 0 -> dot n c L <= 0.
Proof.
  intros Hn HL Hg Hclaim Hend H.
  destruct (least_entry n (fun b => if Rlt_dec (c b) 0 then L b else 1 + sum n L) Hn) as
    [b [Hb Hleast]].
  assert (HS : forall a, (a < n)%nat -> L a <= sum n L) by (intros; apply (sum_term n L); auto).
  destruct (Rlt_dec (c b) 0) as [Nb|Nb].
  - eapply Rle_trans; [|assert (Z : L b * sum n (fun a => if Rlt_dec 0 (c a) then g a * c a
      else c a) <= 0) by (specialize (HL b Hb); nra); exact Z].
    unfold dot. rewrite <- sum_scale. apply sum_le. intros a Ha. destruct (Rlt_dec 0 (c a)) as
      [Pa|Pa].
    + assert (La : L a <= g a * L b).
      { destruct (Nat.eq_dec a b) as [->|N]; [lra|]. apply Rle_trans with (claim a b * L b);
          [apply Hclaim; auto|]. apply Rmult_le_compat_r; auto. }
      assert (c a * L a <= c a * (g a * L b)) by (apply Rmult_le_compat_l; lra). lra.
    + destruct (Rlt_dec (c a) 0) as [Na|Na].
      * specialize (Hleast a Ha). cbv beta in Hleast. destruct (Rlt_dec (c a) 0); [nra|lra].
      * replace (c a) with 0 by lra. lra.
  - assert (Hc : forall a, (a < n)%nat -> 0 <= c a).
    { intros a Ha. specialize (Hleast a Ha). cbv beta in Hleast. pose proof (HS a Ha).
      destruct (Rlt_dec (c a) 0); lra. }
    assert (Z : forall a, (a < n)%nat -> c a = 0).
    { intros a Ha. set (f := fun a => if Rlt_dec 0 (c a) then g a * c a else c a) in *.
      assert (F : forall a, (a < n)%nat -> 0 <= f a).
      { intros d Hd. unfold f. specialize (Hc d Hd). specialize (Hg d Hd).
        destruct (Rlt_dec 0 (c d)); [|lra]. apply Rmult_le_pos; lra. }
      pose proof (sum_term n f a F Ha) as X. specialize (F a Ha). unfold f in X at 1.
      specialize (Hc a Ha). specialize (Hg a Ha). destruct (Rlt_dec 0 (c a)); [nra|lra]. }
    right. unfold dot. rewrite <- (sum_zero n). apply sum_ext. intros a Ha. rewrite Z by exact Ha.
    ring.
Qed.

(** What is tested of all pairs at all times, with claims that are at or above e^e times what is
    tested, bounds the greatest ratios, however far the horizon is. *)
Theorem for_ever_bound n B e claim lambda : (forall t, stochastic n (B t)) -> 0 <= e ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> 1 <= lambda j k /\
     exp e * lambda j k <= claim j k) ->
  (forall t j k, (j < n)%nat -> (k < n)%nat -> j <> k -> exists Q,
     (forall s, (s < t)%nat -> Q (t - S s)%nat = B s) /\
     tested_for_ever n Q e claim j k (lambda j k)) ->
  forall t j k odds, (j < n)%nat -> (k < n)%nat -> j <> k ->
  greatest_before n B (fun _ => e) t j k odds -> odds <= lambda j k.
Proof.
  intros HB He Hclaim Htest t. set (eps := fun _ : nat => e).
  assert (Heps : forall t, 0 <= eps t) by (intros; exact He).
  induction t as [t IH] using lt_wf_ind. intros j k odds Hj Hk Hjk Hodds.
  assert (Hn : (0 < n)%nat) by lia. pose proof (exp_ratio e He) as He1.
  destruct t as [|p]; [simpl in Hodds; subst odds; apply Hclaim; assumption|].
  destruct (Htest (S p) j k Hj Hk Hjk) as [Q [HQB
    [depth [up [E [scale [g [HQ [HE [Hup [Hscale [Hstep [Hge [Hg Hend]]]]]]]]]]]]]].
  set (w := fun s => corner (asked_before n B eps (S p) j k odds s) (exp (eps s))).
  assert (Hw : bounded_by n eps w) by (apply corner_bounded; assumption).
  assert (L0 : forall s a, (a < n)%nat -> 0 <= likelihood n B w s a).
  { intros. apply likelihood_nonneg; auto. intros s' b Hb. apply (Hw s' b b Hb Hb). }
  set (last := (p - depth)%nat). set (d := (p - last)%nat).
  assert (Hd : (d <= depth)%nat) by (unfold d, last; lia).
  assert (Hfirst : dot n (up d) (likelihood n B w last) <= 0).
  { destruct (le_lt_dec depth p) as [Hdp|Hdp].
    - replace d with depth by (unfold d, last; lia).
      apply (claimed_end n claim g); auto.
      + intros a Ha. pose proof (Hge a Ha). lra.
      + intros a b Ha Hb Hab.
        destruct (greatest_before_exists n B eps last a b HB Heps Ha Hb) as [x [Hx Ex]].
        pose proof (IH last ltac:(unfold last; lia) a b x Ha Hb Hab Ex).
        eapply Rle_trans; [apply (odds_until n B eps w last a b x); auto|].
        apply Rmult_le_compat_r; [auto|]. destruct (Hclaim a b Ha Hb Hab) as [_ C].
        eapply Rle_trans; [|exact C]. apply Rmult_le_compat_l; [left; apply exp_pos|assumption].
    - replace last with 0%nat by (unfold last; lia). replace d with p by (unfold d, last; lia).
      assert (Z : sum n (Phi (exp e) (up p)) <= 0).
      { replace p with (depth - (depth - p))%nat by lia.
        apply (ended_before n Q (exp e) E up scale); auto; try lra; [|lia].
        eapply Rle_trans; [|exact Hend]. apply sum_le. intros a Ha. unfold Phi.
        destruct (Rlt_dec 0 (up depth a)); [|lra]. apply Rmult_le_compat_r; [lra|auto]. }
      assert (Hfar : forall a b, (a < n)%nat -> (b < n)%nat -> 0 <= likelihood n B w 0 a /\
        likelihood n B w 0 a <= exp e * likelihood n B w 0 b).
      { intros a b Ha Hb. split; [auto|]. simpl. apply (Hw 0%nat a b Ha Hb). }
      destruct (Phi_bound n (exp e) (likelihood n B w 0) (fun _ => 1) Hn Hfar) as [m [Hm Hbound]].
      { intros; lra. }
      specialize (Hbound (up p)). unfold dot in Hbound |- *.
      rewrite (sum_ext n _ (fun a => up p a * (likelihood n B w 0 a * 1))) by (intros; ring).
      eapply Rle_trans; [exact Hbound|]. rewrite (sum_ext n _ (Phi (exp e) (up p))) by
        (intros; ring). nra. }
  assert (Hp : dot n (up 0%nat) (likelihood n B w p) <= 0).
  { pose proof (carried_up n B eps w (fun s => up (p - s)%nat) (fun _ => E)
      (fun s => scale (p - S s)%nat) last p) as X. cbv beta in X. rewrite Nat.sub_diag in X.
    apply X; auto.
    - unfold last. lia.
    - intros s a Hs Ha. replace (p - s)%nat with (S (p - S s)) by lia.
      specialize (Hstep (p - S s)%nat a ltac:(unfold last in *; lia) Ha).
      replace (Q (S (p - S s))) with (B s) in Hstep; [exact Hstep|].
      rewrite <- (HQB s) by lia. f_equal. lia. }
  assert (D : dot n (difference (B p) j k (lambda j k)) (likelihood n B w p) <= 0).
  { eapply Rle_trans; [|exact Hp]. apply sum_le. intros a Ha. apply Rmult_le_compat_r; [auto|].
    rewrite <- (HQB p) by lia. replace (S p - S p)%nat with 0%nat by lia. apply Hup. exact Ha. }
  rewrite before_difference in D.
  pose proof (greatest_before_attained n B eps w (S p) j k odds HB Hodds ltac:(reflexivity) Hj Hk)
    as L.
  assert (0 < before n B w (S p) k).
  { apply before_positive; auto. intros s b _ _. unfold w, corner. pose proof (exp_pos (eps s)).
    destruct (asked_before n B eps (S p) j k odds s b); lra. }
  apply Rmult_le_reg_r with (before n B w (S p) k); lra.
Qed.

(** So the supremum of TPL is at most v where this is tested on both sides, for lambda and mu whose
    product with e^e is at most e^v for each pair: at each time of each horizon. *)
Theorem supremum_above {O : Type} n c B e T (M : path -> O -> R) t v claim claim' lambda mu :
  valid n c -> bayes n c B -> 0 <= e -> private_stream n T (fun _ => e) M -> (t <= T)%nat ->
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k ->
     1 <= lambda j k /\ exp e * lambda j k <= claim j k /\
     1 <= mu j k /\ exp e * mu j k <= claim' j k /\ exp e * lambda j k * mu j k <= exp v) ->
  (forall t j k, (j < n)%nat -> (k < n)%nat -> j <> k ->
     (exists Q, (forall s, (s < t)%nat -> Q (t - S s)%nat = B s) /\
        tested_for_ever n Q e claim j k (lambda j k)) /\
     (exists Q, (forall s, (s < t)%nat -> Q (t - S s)%nat = forward c (T - S s)%nat) /\
        tested_for_ever n Q e claim' j k (mu j k))) ->
  0 <= v -> stream_leaks_at_most n c T M t v.
Proof.
  intros Hc HB He HM Ht Hlm Htest Hv. apply (odds_TPL n c B (fun _ => e)); auto.
  intros j k Hj Hk Hjk. exists (lambda j k), (mu j k).
  destruct (Hlm j k Hj Hk Hjk) as (_ & _ & _ & _ & Hprod). split; [|split; [|exact Hprod]].
  - intros odds. apply (for_ever_bound n B e claim); auto; [apply HB|..].
    + intros a b Ha Hb Hab. destruct (Hlm a b Ha Hb Hab) as (X & Y & _). auto.
    + intros s a b Ha Hb Hab. apply Htest; assumption.
  - intros odds. apply (for_ever_bound n (fun s => forward c (T - S s)%nat) e claim'); auto.
    + intros s. apply Hc.
    + intros a b Ha Hb Hab. destruct (Hlm a b Ha Hb Hab) as (_ & _ & X & Y & _). auto.
    + intros s a b Ha Hb Hab. apply Htest; assumption.
Qed.

(** ** Histories *)

(** Of N histories with laws P and P', multipliers z prove that no g exceeds the ratio odds + most
    times what is left: g y <= f y y' g y' where z y y' is above 0, and g y <= total g y' for any
    two. *)
Theorem multipliers_bound N (P P' g : nat -> R) (z f : nat -> nat -> R) odds total :
  distribution N P' -> (forall y, (y < N)%nat -> 0 <= g y) -> 0 <= total ->
  (forall y y', (y < N)%nat -> (y' < N)%nat -> 0 <= z y y' /\
     z y y' * g y <= z y y' * (f y y' * g y') /\ g y <= total * g y') ->
  let left y := positive_part (P y - odds * P' y - sum N (z y) +
    sum N (fun x => f x y * z x y)) in
  dot N P g <= (odds + total * sum N left) * dot N P' g.
Proof.
  intros HP' Hg Ht Hz left.
  assert (Hmean : forall y, (y < N)%nat -> g y <= total * dot N P' g).
  { intros y Hy. unfold dot. rewrite <- sum_scale.
    replace (g y) with (sum N (fun x => P' x * g y)) by
      (rewrite sum_scale_r; change (sum N P' * g y = g y); rewrite (proj2 HP'); ring).
    apply sum_le. intros x Hx. pose proof (proj1 HP' x Hx).
    destruct (Hz y x Hy Hx) as (_ & _ & H').
    replace (total * (P' x * g x)) with (P' x * (total * g x)) by ring.
    apply Rmult_le_compat_l; assumption. }
  assert (H1 : dot N (fun y => P y - odds * P' y) g <= dot N (fun y => P y - odds * P' y -
    sum N (z y) + sum N (fun x => f x y * z x y)) g).
  { assert (X : dot N (fun y => sum N (z y)) g <= dot N (fun y => sum N (fun x => f x y * z x y))
      g).
    { unfold dot. apply Rle_trans with (sum N (fun y => sum N (fun x => z y x * g y))).
      { right. apply sum_ext. intros y _. symmetry. apply sum_scale_r. }
      apply Rle_trans with (sum N (fun y => sum N (fun x => f x y * z x y * g y))).
      2: { right. apply sum_ext. intros y _. apply sum_scale_r. }
      rewrite (sum_swap N N (fun y x => f x y * z x y * g y)).
      apply sum_le. intros y Hy. apply sum_le. intros x Hx.
      destruct (Hz y x Hy Hx) as (_ & H' & _). lra. }
    unfold dot in *. rewrite (sum_ext N (fun y => (P y - odds * P' y - sum N (z y) +
      sum N (fun x => f x y * z x y)) * g y) (fun y => (P y - odds * P' y) * g y -
      sum N (z y) * g y + sum N (fun x => f x y * z x y) * g y)) by (intros; ring).
    rewrite sum_plus, sum_minus. lra. }
  assert (H2 : dot N (fun y => P y - odds * P' y - sum N (z y) + sum N (fun x => f x y * z x y)) g
    <= sum N left * (total * dot N P' g)).
  { unfold dot at 1. rewrite <- sum_scale_r. apply sum_le. intros y Hy.
    apply Rle_trans with (left y * g y).
    - apply Rmult_le_compat_r; [auto|]. apply positive_part_above.
    - apply Rmult_le_compat_l; [apply positive_part_nonneg|auto]. }
  assert (H3 : dot N (fun y => P y - odds * P' y) g = dot N P g - odds * dot N P' g).
  { unfold dot. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros; ring. }
  rewrite H3 in H1. lra.
Qed.
