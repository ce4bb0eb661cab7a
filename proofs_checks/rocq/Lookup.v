(** Algorithms 2 to 5 as code: L tabulated, for each pair of rows and whole, and looked up. The
    loops return the pieces that Theorems 8 to 10 are about, and find them again. *)

From TPL Require Export Columns.
From Coq Require Import List.
Import ListNotations.
Open Scope R_scope.

(** ** Definitions *)

(** A binary search between two places, low, which is not past something, and high, which is. *)
Fixpoint between (steps : nat) (past : nat -> bool) (low high : nat) : nat :=
  match steps with
  | O => low
  | S more =>
      if Nat.leb high (S low) then low
      else
        let middle := Nat.div2 (low + high) in
        if past middle then between more past low middle else between more past middle high
  end.

(** What Algorithm 2 [algo:precomp1] appends for a pair of rows whose columns are in order: how
    many columns count, and qArr, dArr and aArr; None where the prefix has no end. With the + 1 of
    Theorem 9, which is not printed. *)
Record entry := { columns : nat; q_sums : nat -> R; d_sums : nat -> R; ends : nat -> option R }.
Definition precomputed (P : nat -> nat -> R) (order : nat -> nat -> nat -> nat)
  (count : nat -> nat -> nat) (j k : nat) : entry :=
  let q := fun i => P j (order j k i) in let d := fun i => P k (order j k i) in
  {| columns := count j k; q_sums := fun i => sum i q; d_sums := fun i => sum i d;
     ends := fun i => if Rlt_dec 0 (sum i q * d (i - 1)%nat - sum i d * q (i - 1)%nat)
       then Some (transition q d i) else None |}.

(** Algorithm 3 [algo:calc_precomp], lines 3 and 4: of a pair the q and d with aArr[k] > alpha >=
    aArr[k + 1]; *)
Definition ended (one : entry) (alpha : R) (i : nat) : bool :=
  match ends one i with None => false | Some a => if Rle_dec a alpha then true else false end.
Definition looked_up (one : entry) (alpha : R) : R * R :=
  match columns one with
  | O => (0, 0)
  | S _ => let i := between (columns one) (ended one alpha) 1 (S (columns one)) in
      (q_sums one i, d_sums one i)
  end.

(** lines 1, 2 and 6: of all pairs that with the greatest value, begun with L = 0; and line 8, with
    q and d in line 5 where q and q is printed. *)
Definition ratio (p : R * R) (alpha : R) : R := piece (fst p) (snd p) (exp alpha).
Fixpoint best (n : nat) (found : nat -> R * R) (alpha : R) : R * R :=
  match n with
  | O => (0, 0)
  | S m =>
      if Rlt_dec (ratio (best m found alpha) alpha) (ratio (found m) alpha) then found m
      else best m found alpha
  end.
Definition best_pair (n : nat) (table : nat -> nat -> entry) (alpha : R) : R * R :=
  best n (fun j => best n (fun k => looked_up (table j k) alpha) alpha) alpha.
Definition calculated (n : nat) (table : nat -> nat -> entry) (alpha eps : R) : R :=
  ln (ratio (best_pair n table alpha) alpha) + eps.

(** Algorithm 4 [algo:gen_L_func]: the pieces from a_1 to a_m, each with its end; at both ends of
    an interval Algorithm 3 finds the one that is greatest there. No answer where the recursion
    would go deeper than it may. *)
Definition crossing (p r : R * R) : R :=
  (fst r + snd p - fst p - snd r) / (fst p * snd r - fst r * snd p).
Fixpoint generated (depth : nat) (top : R -> R * R) (a_1 a_m : R) : option (list (R * R * R)) :=
  match depth with
  | O => None
  | S more =>
      let p := top a_1 in let r := top a_m in let k := crossing p r in
      if Req_EM_T a_1 a_m then Some [(p, a_m)]
      else if Req_EM_T (ratio r a_m) (ratio p a_m) then Some [(p, a_m)]
      else if Req_EM_T (ratio p a_1) (ratio r a_1) then Some [(r, a_m)]
      else if Rle_dec k 0 then Some [(r, a_m)]
      else
        let a_k := ln (k + 1) in
        match generated more top a_1 a_k, generated more top a_k a_m with
        | Some before, Some after => Some (before ++ after)
        | _, _ => None
        end
  end.

(** Algorithm 5 [algo:cal_bpl_func]: the first piece that does not end before alpha, whose
    inequalities are printed for a falling aArr. *)
Definition reaches (pieces : list (R * R * R)) (alpha : R) (i : nat) : bool :=
  match i with
  | O => false
  | S l => match nth_error pieces l with
           | Some (_, a) => if Rle_dec alpha a then true else false
           | None => true
           end
  end.
Definition from_pieces (pieces : list (R * R * R)) (alpha eps : R) : R :=
  let i := between (length pieces) (reaches pieces alpha) 0 (length pieces) in
  ln (ratio (fst (nth i pieces ((0, 0), 0))) alpha) + eps.

(** ** The search *)

Lemma between_spec past top : forall steps low high, (high - low <= steps)%nat ->
  (low < high)%nat -> past low = false -> (high = top \/ past high = true) ->
  let i := between steps past low high in
  (low <= i < high)%nat /\ past i = false /\ (S i = top \/ past (S i) = true).
Proof.
  induction steps as [|steps IH]; intros low high Hs Hlh Hlow Hhigh; [lia|]. cbn [between].
  destruct (Nat.leb_spec high (S low)) as [L|L].
  - replace high with (S low) in * by lia. cbv zeta. split; [lia|]. split; assumption.
  - set (middle := Nat.div2 (low + high)).
    assert (Hm : (low < middle < high)%nat).
    { unfold middle. rewrite Nat.div2_div. split.
      - apply Nat.div_le_lower_bound; lia.
      - apply Nat.div_lt_upper_bound; lia. }
    destruct (past middle) eqn:E; cbv zeta.
    + destruct (IH low middle) as [I1 I2]; auto; [lia|lia|]. split; [lia|assumption].
    + destruct (IH middle high) as [I1 I2]; auto; [lia|lia|]. split; [lia|assumption].
Qed.

(** ** Algorithms 2 and 3 *)

Lemma ended_spec P order count j k i alpha :
  (P j (order j k (i - 1)%nat) > P k (order j k (i - 1)%nat)) -> 0 <= alpha ->
  (ended (precomputed P order count j k) alpha i = true <->
   past_transition (fun l => P j (order j k l)) (fun l => P k (order j k l)) i (exp alpha)).
Proof.
  intros Hi Ha.
  destruct (transition_point (fun l => P j (order j k l)) (fun l => P k (order j k l)) i alpha Hi
    Ha) as [H1 H2]. unfold ended, precomputed. cbn [ends].
  destruct (Rlt_dec 0 _) as [L|N].
  - rewrite (H1 L). destruct (Rle_dec _ alpha); split; intros; auto; discriminate || contradiction.
  - split; [discriminate|]. intros H. exfalso. apply H2 in H; [assumption|lra].
Qed.

Lemma looked_up_optimum n P order count j k alpha : stochastic n P ->
  columns_ordered n P order count -> (j < n)%nat -> (k < n)%nat -> 0 <= alpha ->
  is_optimum n (P j) (P k) alpha (ratio (looked_up (precomputed P order count j k) alpha) alpha) /\
  (looked_up (precomputed P order count j k) alpha = (0, 0) \/
   listed n P order count (fst (looked_up (precomputed P order count j k) alpha))
     (snd (looked_up (precomputed P order count j k) alpha))).
Proof.
  intros HP Ho Hj Hk Ha. destruct (Ho j k Hj Hk) as [Hp [Hf Hc]].
  pose proof (distribution_permuted n (order j k) (P j) Hp (HP j Hj)) as Hq.
  pose proof (distribution_permuted n (order j k) (P k) Hp (HP k Hk)) as Hd.
  set (q := fun i => P j (order j k i)) in *. set (d := fun i => P k (order j k i)) in *.
  unfold looked_up. change (columns (precomputed P order count j k)) with (count j k).
  destruct (count j k) as [|c] eqn:Ec.
  - split; [|left; reflexivity].
    destruct (optimum_in_order n (order j k) 0 (P j) (P k) alpha Hp (HP j Hj) (HP k Hk) Hf Hc Ha)
      as [[_ H]|[m [Hm _]]]; [|lia].
    replace (ratio (0, 0) alpha) with 1; [assumption|]. unfold ratio, piece. cbn [fst snd]. field.
  - assert (Habove : forall i, (1 <= i <= S c)%nat -> q (i - 1)%nat > d (i - 1)%nat).
    { intros i Hi. destruct Hc as [Hcn Hc]. apply Hc; lia. }
    assert (Hpast : forall i, (1 <= i <= S c)%nat ->
      (ended (precomputed P order count j k) alpha i = true <->
       past_transition q d i (exp alpha))).
    { intros i Hi. apply ended_spec; [apply Habove|]; assumption. }
    destruct (between_spec (ended (precomputed P order count j k) alpha) (S (S c)) (S c) 1
      (S (S c))) as [I1 [I2 I3]]; [lia|lia| |left; reflexivity|].
    { apply not_true_is_false. intros E. apply Hpast in E; [|lia]. unfold past_transition in E.
      simpl in E. pose proof (Habove 1%nat ltac:(lia)). simpl in H. lra. }
    set (m := between _ _ _ _) in *. cbn [fst snd].
    change (q_sums (precomputed P order count j k) m) with (sum m q).
    change (d_sums (precomputed P order count j k) m) with (sum m d). split.
    + apply (order_of_columns n (order j k)); auto.
      apply (theorem_9 n (S c) m q d alpha); auto; [lia| |].
      * intros E. apply Hpast in E; [congruence|lia].
      * intros L. destruct I3 as [I3|I3]; [lia|]. apply Hpast; [lia|assumption].
    + right. exists j, k, m. rewrite Ec. repeat split; auto; lia.
Qed.

Lemma best_greatest n found alpha : 0 <= alpha -> ratio (best n found alpha) alpha =
  greatest n (fun i => ratio (found i) alpha).
Proof.
  intros Ha. induction n as [|n IH]; cbn [best greatest].
  - unfold ratio, piece. cbn [fst snd]. field.
  - rewrite <- IH. unfold Rmax. destruct (Rlt_dec _ _), (Rle_dec _ _); lra.
Qed.

Lemma best_found n found alpha : best n found alpha = (0, 0) \/
  exists i, (i < n)%nat /\ best n found alpha = found i.
Proof.
  induction n as [|n IH]; cbn [best]; [left; reflexivity|]. destruct (Rlt_dec _ _).
  - right. exists n. auto.
  - destruct IH as [|[i [Hi E]]]; [left; assumption|right; exists i; auto].
Qed.

Lemma greatest_ext n x y : (forall i, (i < n)%nat -> x i = y i) -> greatest n x = greatest n y.
Proof. induction n; cbn [greatest]; intros H; [reflexivity|]. rewrite IHn, H; auto. Qed.

Lemma best_pair_spec n P order count alpha : stochastic n P -> columns_ordered n P order count ->
  0 <= alpha ->
  let p := best_pair n (precomputed P order count) alpha in
  ratio p alpha = gain n P (exp alpha) /\ (p = (0, 0) \/ listed n P order count (fst p) (snd p)).
Proof.
  intros HP Ho Ha. split.
  - unfold best_pair, gain. rewrite best_greatest by assumption. apply greatest_ext. intros j Hj.
    rewrite best_greatest by assumption. apply greatest_ext. intros k Hk.
    destruct (looked_up_optimum n P order count j k alpha HP Ho Hj Hk Ha) as [H _].
    apply (is_optimum_unique n (P j) (P k) alpha); [assumption|].
    apply optimum_is_optimum; auto.
  - unfold best_pair. destruct (best_found n (fun j => best n (fun k => looked_up (precomputed P
      order count j k) alpha) alpha) alpha) as [->|[j [Hj ->]]]; [left; reflexivity|].
    destruct (best_found n (fun k => looked_up (precomputed P order count j k) alpha) alpha)
      as [->|[k [Hk ->]]]; [left; reflexivity|].
    apply (looked_up_optimum n P order count j k alpha); assumption.
Qed.

(** Algorithms 2 and 3 return L(alpha) + eps, that is what Algorithm 1 does. *)
Theorem algorithms_2_3 n P order count alpha eps : stochastic n P ->
  columns_ordered n P order count -> 0 <= alpha ->
  calculated n (precomputed P order count) alpha eps = loss n P alpha + eps.
Proof.
  intros HP Ho Ha. unfold calculated, loss.
  destruct (best_pair_spec n P order count alpha HP Ho Ha) as [-> _]. reflexivity.
Qed.

(** ** Algorithms 4 and 5 *)

(** The pieces are L from a level on to the last end. *)
Fixpoint tabulates (n : nat) (P : nat -> nat -> R) (from : R) (pieces : list (R * R * R)) : Prop :=
  match pieces with
  | [] => True
  | (p, a) :: rest =>
      from <= a /\ (forall alpha, from <= alpha <= a -> loss n P alpha = ln (ratio p alpha)) /\
      tabulates n P a rest
  end.
Fixpoint last_end (from : R) (pieces : list (R * R * R)) : R :=
  match pieces with [] => from | (_, a) :: rest => last_end a rest end.

Lemma tabulates_app n P : forall x from y, tabulates n P from x ->
  tabulates n P (last_end from x) y ->
  tabulates n P from (x ++ y) /\ last_end from (x ++ y) = last_end (last_end from x) y.
Proof.
  induction x as [|[p a] x IH]; intros from y Hx Hy; [split; [exact Hy|reflexivity]|].
  destruct Hx as [H1 [H2 H3]]. cbn [app tabulates last_end] in *. destruct (IH a y H3 Hy).
  auto.
Qed.

(** What the loops find is greatest of a list of pairs of sums, all of which are at most e^L. *)
Definition greatest_of (n : nat) (P : nat -> nat -> R) (C : list (R * R)) (top : R -> R * R) :
  Prop :=
  (forall p, In p C -> 0 <= snd p /\ forall a, 0 <= a -> ratio p a <= gain n P (exp a)) /\
  forall a, 0 <= a -> In (top a) C /\ ratio (top a) a = gain n P (exp a).

(** Theorem 10, of an interval that may be a point. *)
Lemma stays_greater p r a_1 a_m a : 0 <= snd p -> 0 <= snd r -> 0 < a_1 -> a_1 <= a <= a_m ->
  ratio r a_1 <= ratio p a_1 -> ratio r a_m <= ratio p a_m -> ratio r a <= ratio p a.
Proof.
  intros Hp Hr Ha Hin H1 Hm. destruct (Req_dec a_1 a_m) as [E|N].
  - replace a with a_1 by lra. assumption.
  - apply Rge_le. apply (theorem_10 _ _ _ _ a_1 a_m a); auto; try lra; apply Rle_ge; assumption.
Qed.

(** Where one pair of sums is the greatest at both ends it is L. *)
Lemma whole_piece n P C top a_1 a_m p : greatest_of n P C top -> 0 < a_1 <= a_m -> In p C ->
  ratio p a_1 = gain n P (exp a_1) -> ratio p a_m = gain n P (exp a_m) ->
  forall a, a_1 <= a <= a_m -> loss n P a = ln (ratio p a).
Proof.
  intros [HC Htop] Ha Hp H1 Hm a Hin. unfold loss. f_equal. destruct (HC p Hp) as [Hp0 Hle].
  apply Rle_antisym; [|apply Hle; lra]. destruct (Htop a ltac:(lra)) as [Hr <-].
  destruct (HC _ Hr) as [Hr0 Hler]. apply (stays_greater p _ a_1 a_m); auto; try lra;
    [rewrite H1|rewrite Hm]; apply Hler; lra.
Qed.

(** Two pieces, each the greater at one end, cross once between. *)
Lemma crosses p r a_1 a_m : 0 <= snd p -> 0 <= snd r -> 0 < a_1 < a_m ->
  ratio r a_1 < ratio p a_1 -> ratio p a_m < ratio r a_m ->
  let k := crossing p r in let a_k := ln (k + 1) in
  0 < k /\ a_1 < a_k < a_m /\ ratio p a_k = ratio r a_k.
Proof.
  intros Hp Hr Ha H1 Hm.
  assert (E1 : 1 < exp a_1) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (E : exp a_1 < exp a_m) by (apply exp_increasing; lra).
  destruct p as [q d], r as [q' d']. unfold ratio, crossing in *. cbn [fst snd] in *.
  set (u := q - q' + (d' - d)). set (w := q * d' - q' * d).
  assert (D1 : 0 < u + (exp a_1 - 1) * w).
  { apply Rnot_le_lt. intros N. apply (Rlt_not_le _ _ H1). apply piece_compare; try lra.
    apply Rmult_le_pos; [lra|]. unfold u, w in N. lra. }
  assert (Dm : u + (exp a_m - 1) * w < 0).
  { apply Rnot_le_lt. intros N. apply (Rlt_not_le _ _ Hm). apply piece_compare; try lra.
    apply Rmult_le_pos; [lra|]. unfold u, w in N. lra. }
  assert (Hw : w < 0).
  { apply Rnot_le_lt. intros N. assert (0 <= (exp a_m - exp a_1) * w) by (apply Rmult_le_pos; lra).
    lra. }
  replace (q' + d - q - d') with (- u) by (unfold u; ring). fold w.
  set (k := - u / w). assert (Ek : k * w = - u) by (unfold k; field; lra).
  assert (K1 : exp a_1 - 1 < k).
  { apply Rnot_le_lt. intros N. assert (0 <= (exp a_1 - 1 - k) * - w) by (apply Rmult_le_pos; lra).
    lra. }
  assert (Km : k < exp a_m - 1).
  { apply Rnot_le_lt. intros N. assert (0 <= (k - (exp a_m - 1)) * - w) by (apply Rmult_le_pos;
    lra). lra. }
  cbv zeta. assert (Ex : exp (ln (k + 1)) = k + 1) by (apply exp_ln; lra).
  split; [lra|]. split.
  - split; apply exp_lt_inv; rewrite Ex; lra.
  - rewrite Ex. apply Rle_antisym; apply piece_compare; try lra; right.
    + replace (q' - q + (d - d') + (k + 1 - 1) * (q' * d - q * d')) with (- (u + k * w))
        by (unfold u, w; ring). rewrite Ek. ring.
    + replace (q - q' + (d' - d) + (k + 1 - 1) * (q * d' - q' * d)) with (u + k * w)
        by (unfold u, w; ring). rewrite Ek. ring.
Qed.

(** What Algorithm 4 returns is L. *)
Lemma generated_sound n P C top : greatest_of n P C top -> forall depth a_1 a_m pieces,
  0 < a_1 <= a_m -> generated depth top a_1 a_m = Some pieces ->
  tabulates n P a_1 pieces /\ last_end a_1 pieces = a_m /\ pieces <> [].
Proof.
  intros HC. pose proof HC as [Hall Htop].
  induction depth as [|depth IH]; intros a_1 a_m pieces Ha H; [discriminate|].
  cbn [generated] in H. destruct (Htop a_1 ltac:(lra)) as [In1 V1].
  destruct (Htop a_m ltac:(lra)) as [Inm Vm]. set (p := top a_1) in *. set (r := top a_m) in *.
  assert (Hone : forall x, In x C -> ratio x a_1 = gain n P (exp a_1) ->
    ratio x a_m = gain n P (exp a_m) -> Some [(x, a_m)] = Some pieces ->
    tabulates n P a_1 pieces /\ last_end a_1 pieces = a_m /\ pieces <> []).
  { intros x Hx X1 Xm E. injection E as <-. cbn [tabulates last_end].
    split; [|split; [reflexivity|discriminate]]. split; [lra|]. split; [|exact I].
    apply (whole_piece n P C top a_1 a_m); assumption. }
  destruct (Req_EM_T a_1 a_m) as [->|N0]; [apply (Hone p); assumption|].
  destruct (Req_EM_T (ratio r a_m) (ratio p a_m)) as [E|N1]; [apply (Hone p); auto; congruence|].
  destruct (Req_EM_T (ratio p a_1) (ratio r a_1)) as [E|N2]; [apply (Hone r); auto; congruence|].
  destruct (Hall p In1) as [Dp Lp]. destruct (Hall r Inm) as [Dr Lr].
  assert (S1 : ratio r a_1 < ratio p a_1).
  { pose proof (Lr a_1 ltac:(lra)) as L. rewrite <- V1 in L. lra. }
  assert (Sm : ratio p a_m < ratio r a_m).
  { pose proof (Lp a_m ltac:(lra)) as L. rewrite <- Vm in L. lra. }
  destruct (crosses p r a_1 a_m Dp Dr ltac:(lra) S1 Sm) as [K [Hin _]].
  destruct (Rle_dec (crossing p r) 0) as [?|_]; [lra|]. set (a_k := ln (crossing p r + 1)) in *.
  destruct (generated depth top a_1 a_k) as [x|] eqn:X; [|discriminate].
  destruct (generated depth top a_k a_m) as [y|] eqn:Y; [|discriminate]. injection H as <-.
  destruct (IH a_1 a_k x ltac:(lra) X) as [X1 [X2 X3]].
  destruct (IH a_k a_m y ltac:(lra) Y) as [Y1 [Y2 _]]. rewrite <- X2 in Y1, Y2.
  destruct (tabulates_app n P x a_1 y X1 Y1) as [T1 T2]. rewrite X2 in T2.
  split; [assumption|]. split; [rewrite T2; rewrite X2 in Y2; assumption|].
  destruct x; [contradiction|discriminate].
Qed.

Lemma generated_deeper top : forall depth a_1 a_m pieces more,
  generated depth top a_1 a_m = Some pieces ->
  generated (depth + more) top a_1 a_m = Some pieces.
Proof.
  induction depth as [|depth IH]; intros a_1 a_m pieces more H; [discriminate|].
  cbn [generated Nat.add] in *.
  repeat match goal with |- context [if ?c then _ else _] => destruct c; [assumption|] end.
  destruct (generated depth top a_1 _) as [x|] eqn:X; [|discriminate].
  destruct (generated depth top _ a_m) as [y|] eqn:Y; [|discriminate].
  rewrite (IH _ _ _ more X), (IH _ _ _ more Y). assumption.
Qed.

(** Algorithm 4 ends: what is greatest at the crossing was above both pieces there, and is above
    none of its own intervals' pieces. *)
Lemma generated_ends n P C top : greatest_of n P C top -> forall size left a_1 a_m,
  (length left <= size)%nat -> 0 < a_1 <= a_m ->
  (forall x a, In x C -> a_1 <= a <= a_m -> ratio (top a_1) a < ratio x a ->
    ratio (top a_m) a < ratio x a -> In x left) ->
  exists depth pieces, generated depth top a_1 a_m = Some pieces.
Proof.
  intros [Hall Htop]. induction size as [|size IH]; intros left a_1 a_m Hsize Ha Hleft.
  all: destruct (Htop a_1 ltac:(lra)) as [In1 V1]; destruct (Htop a_m ltac:(lra)) as [Inm Vm];
    set (p := top a_1) in *; set (r := top a_m) in *.
  all: destruct (Hall p In1) as [Dp Lp]; destruct (Hall r Inm) as [Dr Lr].
  all: destruct (Req_EM_T a_1 a_m) as [E0|N0];
    [exists 1%nat; cbn [generated]; destruct (Req_EM_T a_1 a_m); [eauto|contradiction]|].
  all: destruct (Req_EM_T (ratio r a_m) (ratio p a_m)) as [E1|N1];
    [exists 1%nat; cbn [generated]; fold p r; destruct (Req_EM_T a_1 a_m); [eauto|];
      destruct (Req_EM_T (ratio r a_m) (ratio p a_m)); [eauto|contradiction]|].
  all: destruct (Req_EM_T (ratio p a_1) (ratio r a_1)) as [E2|N2];
    [exists 1%nat; cbn [generated]; fold p r; destruct (Req_EM_T a_1 a_m); [eauto|];
      destruct (Req_EM_T (ratio r a_m) (ratio p a_m)); [eauto|];
      destruct (Req_EM_T (ratio p a_1) (ratio r a_1)); [eauto|contradiction]|].
  all: assert (S1 : ratio r a_1 < ratio p a_1)
    by (pose proof (Lr a_1 ltac:(lra)) as L; rewrite <- V1 in L; lra).
  all: assert (Sm : ratio p a_m < ratio r a_m)
    by (pose proof (Lp a_m ltac:(lra)) as L; rewrite <- Vm in L; lra).
  all: destruct (crosses p r a_1 a_m Dp Dr ltac:(lra) S1 Sm) as [K [Hin Ek]].
  all: set (a_k := ln (crossing p r + 1)) in *.
  all: destruct (Htop a_k ltac:(lra)) as [Ink Vk]; set (h := top a_k) in *.
  all: assert (Hboth : forall depth, (exists x, generated depth top a_1 a_k = Some x) ->
    (exists y, generated depth top a_k a_m = Some y) ->
    exists d pieces, generated d top a_1 a_m = Some pieces).
  1, 3: intros depth [x X] [y Y]; exists (S depth); cbn [generated]; fold p r a_k; rewrite X, Y;
    repeat match goal with |- context [if ?c then _ else _] => destruct c; [eauto|] end; eauto.
  all: destruct (Req_EM_T (ratio h a_k) (ratio p a_k)) as [Eh|Nh].
  1, 3: apply (Hboth 1%nat); cbn [generated]; fold p h r;
    repeat match goal with |- context [if ?c then _ else _] => destruct c; [eauto|] end;
    exfalso; congruence.
  all: assert (Sh : ratio p a_k < ratio h a_k)
    by (pose proof (Lp a_k ltac:(lra)) as L; rewrite <- Vk in L; lra).
  all: assert (Hh : In h left) by (apply (Hleft h a_k); auto; lra).
  - destruct left; [contradiction|cbn in Hsize; lia].
  - destruct (in_split h left Hh) as [l1 [l2 El]]. subst left.
    assert (Hl : (length (l1 ++ l2) <= size)%nat).
    { rewrite app_length in *. cbn [length] in Hsize. lia. }
    assert (Hrest : forall x a, In x (l1 ++ h :: l2) -> ratio h a < ratio x a -> In x (l1 ++ l2)).
    { intros x a Hx Hlt. apply in_app_or in Hx. apply in_or_app. destruct Hx as [|[->|]]; auto.
      lra. }
    destruct (IH (l1 ++ l2) a_1 a_k Hl ltac:(lra)) as [d1 [made X]].
    { intros x a Hx Ha' H1 Hk. apply (Hrest x a); [|exact Hk].
      apply (Hleft x a); auto; [lra|]. eapply Rle_lt_trans; [|exact H1].
      apply (stays_greater p r a_1 a_k); auto; lra. }
    destruct (IH (l1 ++ l2) a_k a_m Hl ltac:(lra)) as [d2 [made' Y]].
    { intros x a Hx Ha' Hk H1. apply (Hrest x a); [|exact Hk].
      apply (Hleft x a); auto; [lra|]. eapply Rle_lt_trans; [|exact H1].
      apply (stays_greater r p a_k a_m); auto; lra. }
    apply (Hboth (d1 + d2)%nat); [exists made; apply generated_deeper; assumption|].
    exists made'. rewrite Nat.add_comm. apply generated_deeper. assumption.
Qed.

(** The entries of Algorithm 2 as a list. *)
Definition all_listed (n : nat) (P : nat -> nat -> R) (order : nat -> nat -> nat -> nat)
  (count : nat -> nat -> nat) : list (R * R) :=
  (0, 0) :: flat_map (fun j => flat_map (fun k => map (fun m =>
    (sum m (fun i => P j (order j k i)), sum m (fun i => P k (order j k i)))) (seq 1 (count j k)))
    (seq 0 n)) (seq 0 n).

Lemma all_listed_spec n P order count p : In p (all_listed n P order count) <->
  p = (0, 0) \/ listed n P order count (fst p) (snd p).
Proof.
  unfold all_listed, listed. cbn [In]. rewrite in_flat_map. split.
  - intros [<-|[j [Hj H]]]; [left; reflexivity|right]. apply in_flat_map in H.
    destruct H as [k [Hk H]]. apply in_map_iff in H. destruct H as [m [<- Hm]].
    apply in_seq in Hj, Hk, Hm. exists j, k, m. cbn [fst snd]. repeat split; lia.
  - intros [->|[j [k [m [Hj [Hk [Hm [Eq Ed]]]]]]]]; [left; reflexivity|right]. exists j.
    split; [apply in_seq; lia|]. apply in_flat_map. exists k. split; [apply in_seq; lia|].
    apply in_map_iff. exists m. split; [|apply in_seq; lia]. rewrite <- Eq, <- Ed.
    destruct p; reflexivity.
Qed.

Lemma tables_greatest n P order count : stochastic n P -> columns_ordered n P order count ->
  greatest_of n P (all_listed n P order count) (best_pair n (precomputed P order count)).
Proof.
  intros HP Ho. split.
  - intros p Hp. apply all_listed_spec in Hp.
    destruct Hp as [->|[j [k [m [Hj [Hk [Hm [Eq Ed]]]]]]]].
    + cbn [snd]. split; [lra|]. intros a Ha. unfold ratio, piece. cbn [fst snd].
      pose proof (gain_one n P (exp a)). replace ((0 * (exp a - 1) + 1) / (0 * (exp a - 1) + 1))
        with 1 by field. lra.
    + destruct (Ho j k Hj Hk) as [Hord [_ Hc]].
      destruct (first_columns n (order j k) m Hord) as [S HS]; [pose proof (proj1 Hc); lia|].
      rewrite <- (HS (P j)) in Eq. rewrite <- (HS (P k)) in Ed. unfold ratio. rewrite Eq, Ed.
      split; [apply (sum_on_bounds n S (P k)); auto|]. intros a Ha. apply gain_upper; assumption.
  - intros a Ha. destruct (best_pair_spec n P order count a HP Ho Ha) as [H1 H2].
    split; [apply all_listed_spec; assumption|assumption].
Qed.

(** Algorithm 4 ends, and its pieces are L from a_1 to a_m. *)
Theorem algorithm_4 n P order count a_1 a_m : stochastic n P -> columns_ordered n P order count ->
  0 < a_1 <= a_m ->
  let made depth := generated depth (best_pair n (precomputed P order count)) a_1 a_m in
  (exists depth pieces, made depth = Some pieces) /\
  forall depth pieces, made depth = Some pieces ->
    tabulates n P a_1 pieces /\ last_end a_1 pieces = a_m /\ pieces <> [].
Proof.
  intros HP Ho Ha made. pose proof (tables_greatest n P order count HP Ho) as HC. split.
  - apply (generated_ends n P _ _ HC _ (all_listed n P order count) a_1 a_m (le_n _) Ha). auto.
  - intros depth pieces. apply (generated_sound n P _ _ HC). assumption.
Qed.

Lemma tabulates_at n P : forall pieces from i p a, tabulates n P from pieces ->
  nth_error pieces i = Some (p, a) ->
  exists start, (forall alpha, start <= alpha <= a -> loss n P alpha = ln (ratio p alpha)) /\
  match i with O => start = from | S l => exists r, nth_error pieces l = Some (r, start) end.
Proof.
  induction pieces as [|[r b] pieces IH]; intros from i p a H Hi; [destruct i; discriminate|].
  destruct H as [_ [H2 H3]]. destruct i as [|i]; cbn [nth_error] in *.
  - injection Hi as -> ->. exists from. auto.
  - destruct (IH b i p a H3 Hi) as [start [S1 S2]]. exists start. split; [assumption|].
    destruct i as [|l]; cbn [nth_error]; [subst; eauto|exact S2].
Qed.

Lemma last_end_nth : forall pieces from p a,
  nth_error pieces (length pieces - 1) = Some (p, a) -> last_end from pieces = a.
Proof.
  induction pieces as [|[r b] pieces IH]; intros from p a H; [discriminate|].
  cbn [length last_end] in *. destruct pieces as [|x pieces].
  - cbn in H. injection H as _ ->. reflexivity.
  - apply (IH b p). cbn [length] in *. replace (S (S (length pieces)) - 1)%nat with
      (S (S (length pieces) - 1)) in H by lia. exact H.
Qed.

(** Algorithm 5 returns L(alpha) + eps, for every level from a_1 to a_m. *)
Theorem algorithm_5 n P a_1 pieces alpha eps : tabulates n P a_1 pieces -> pieces <> [] ->
  a_1 <= alpha <= last_end a_1 pieces -> from_pieces pieces alpha eps = loss n P alpha + eps.
Proof.
  intros H Hne Ha. unfold from_pieces. f_equal.
  assert (Hlen : (0 < length pieces)%nat) by (destruct pieces; [contradiction|cbn; lia]).
  destruct (between_spec (reaches pieces alpha) (length pieces) (length pieces) 0 (length pieces))
    as [I1 [I2 I3]]; [lia|lia|reflexivity|left; reflexivity|].
  set (i := between _ _ _ _) in *. destruct (nth_error pieces i) as [[p a]|] eqn:E;
    [|apply nth_error_None in E; lia].
  rewrite (nth_error_nth _ _ _ E). cbn [fst]. symmetry.
  destruct (tabulates_at n P pieces a_1 i p a H E) as [start [H1 H2]]. apply H1. split.
  - destruct i as [|l]; [lra|]. destruct H2 as [r H2]. cbn [reaches] in I2. rewrite H2 in I2.
    destruct (Rle_dec alpha start); [discriminate|lra].
  - destruct I3 as [I3|I3].
    + rewrite (last_end_nth pieces a_1 p a) in Ha; [lra|]. rewrite <- E. f_equal. lia.
    + cbn [reaches] in I3. rewrite E in I3. destruct (Rle_dec alpha a); [assumption|discriminate].
Qed.
