(** The loss function in integers: Algorithm 1 over all pairs of rows. What it returns is e^L, for every matrix and every rational
    e^alpha; where e^alpha is enclosed, e^L is. *)

From TPL Require Export Denoted.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The piece of two rows and a set at e^alpha = a/b, in integers over c; what a round of Algorithm 1 keeps. *)
Definition piece_ratio (c a b : Z) (q d : list Z) (listed : list bool) : Z * Z :=
  (masked listed q 0 * (a - b) + c * b, masked listed d 0 * (a - b) + c * b).
Fixpoint kept (v : Z * Z) (listed : list bool) (q d : list Z) : list bool :=
  match listed, q, d with
  | one :: listed', x :: q', y :: d' => (one && (y * fst v <? x * snd v)) :: kept v listed' q' d'
  | _, _, _ => []
  end.
Fixpoint above (q d : list Z) : list bool :=
  match q, d with x :: q', y :: d' => (y <? x) :: above q' d' | _, _ => [] end.
Fixpoint same_members (one other : list bool) : bool :=
  match one, other with
  | [], [] => true
  | x :: one', y :: other' => Bool.eqb x y && same_members one' other'
  | _, _ => false
  end.
Fixpoint searched (fuel : nat) (c a b : Z) (q d : list Z) (listed : list bool) : list bool :=
  match fuel with
  | O => listed
  | S f =>
      let next := kept (piece_ratio c a b q d listed) listed q d in
      if same_members next listed then listed else searched f c a b q d next
  end.
Definition pair_ratio (c a b : Z) (q d : list Z) : Z * Z := piece_ratio c a b q d (searched (List.length q) c a b q d (above q d)).

(** e^L: the greatest over all pairs of rows. *)
Definition greater (v w : Z * Z) : Z * Z := if fst v * snd w <? fst w * snd v then w else v.
Definition loss_ratio (M : distributions) (a b : Z) : Z * Z :=
  fold_left greater (flat_map (fun q => map (pair_ratio (common M) a b q) (units M)) (units M)) (1, 1).

(** What is known of the ratio of a level: fractions at most and at least it. They are one where it is written as a rational. *)
Definition ratios := ((Z * Z) * (Z * Z))%type.
Definition finite_ratio (p : Z * Z) : bool := (0 <? snd p) && (snd p <=? fst p).
Definition read_finite (bits : Z) (level : json) : result (written_level * ratios) :=
  let! (l, e) := read_level bits level in
  let! _ := within_limit (finite_ratio (low e) && finite_ratio (high e)) "a finite level is expected" in
  Done (l, (low e, high e)).
Definition is_exact (r : ratios) : bool := (fst (fst r) =? fst (snd r)) && (snd (fst r) =? snd (snd r)).
Definition loss_ratios (M : distributions) (r : ratios) : ratios :=
  let least := loss_ratio M (fst (fst r)) (snd (fst r)) in
  if is_exact r then (least, least) else (least, loss_ratio M (fst (snd r)) (snd (snd r))).

Definition answer_loss (bits : Z) (table level : json) : result ratios :=
  let! M := inside "matrix" (read_matrix table) in
  let! (_, alpha) := inside "alpha" (read_finite bits level) in
  Done (loss_ratios M alpha).

(** Decimals that enclose it, guessed elsewhere. *)
Definition decimals_hold (bits : Z) (r : ratios) (lower upper : rational) : bool :=
  match enclose bits (Nats lower), enclose bits (Nats upper) with
  | Done l, Done u => at_most l (of_ratio (fst r)) && at_most (of_ratio (snd r)) u
  | _, _ => false
  end.

(** ** Algorithm 1 *)

Open Scope R_scope.

Definition represents (n : nat) (listed : list bool) (S : set) : Prop :=
  List.length listed = n /\ forall j, (j < n)%nat -> nth j listed false = S j.

Lemma kept_spec v listed q d : List.length q = List.length listed -> List.length d = List.length listed ->
  List.length (kept v listed q d) = List.length listed /\
  forall j, (j < List.length listed)%nat ->
  nth j (kept v listed q d) false = (nth j listed false && (nth j d 0 * fst v <? nth j q 0 * snd v)%Z)%bool.
Proof.
  revert q d. induction listed as [|one listed IH]; intros [|x q] [|y d] Hq Hd; cbn in Hq, Hd; try discriminate; cbn [kept].
  - split; [reflexivity|]. cbn. intros; lia.
  - destruct (IH q d) as [L H]; [congruence|congruence|]. split; [cbn; congruence|].
    intros [|j] Hj; cbn [nth]; [reflexivity|]. apply H. cbn in Hj. lia.
Qed.

Lemma above_spec q d : List.length q = List.length d -> List.length (above q d) = List.length q /\
  forall j, (j < List.length q)%nat -> nth j (above q d) false = (nth j d 0 <? nth j q 0)%Z.
Proof.
  revert d. induction q as [|x q IH]; intros [|y d] H; cbn in H; try discriminate; cbn [above].
  - split; [reflexivity|]. cbn. intros; lia.
  - destruct (IH d) as [L E]; [congruence|]. split; [cbn; congruence|]. intros [|j] Hj; cbn [nth]; [reflexivity|]. apply E. cbn in Hj. lia.
Qed.

Lemma same_members_spec one other : same_members one other = true -> one = other.
Proof.
  revert other. induction one as [|x one IH]; intros [|y other]; cbn; try discriminate; [reflexivity|].
  intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Bool.eqb_prop in H1. rewrite (IH other H2), H1. reflexivity.
Qed.

Lemma round_same n q d A S S' : (forall j, (j < n)%nat -> S j = S' j) -> forall j, (j < n)%nat -> round n q d A S j = round n q d A S' j.
Proof.
  intros H j Hj. unfold round. rewrite H by assumption. unfold piece_of. rewrite !(sum_on_ext n S S') by assumption. reflexivity.
Qed.

Lemma rounds_stay n q d A m k : (forall j, (j < n)%nat -> round n q d A (rounds n q d A m) j = rounds n q d A m j) ->
  forall j, (j < n)%nat -> rounds n q d A (k + m) j = rounds n q d A m j.
Proof.
  intros H. induction k as [|k IH]; intros j Hj; [reflexivity|]. cbn [rounds Nat.add].
  rewrite (round_same n q d A _ (rounds n q d A m)) by assumption. apply H. assumption.
Qed.

(** After n rounds the piece is the optimum. *)
Lemma rounds_optimum n q d alpha : distribution n q -> distribution n d -> 0 <= alpha ->
  piece_of n q d (rounds n q d (exp alpha) n) (exp alpha) = optimum n q d (exp alpha).
Proof.
  intros Hq Hd Ha. destruct (algorithm_1 n q d alpha Hq Hd Ha) as [count [Hc [Hstay [_ [_ Hopt]]]]].
  pose proof (is_optimum_unique n q d alpha _ _ Hopt (optimum_is_optimum n q d alpha Hq Hd Ha)) as E. rewrite <- E.
  pose proof (rounds_stay n q d (exp alpha) count (n - count) Hstay) as H. replace (n - count + count)%nat with n in H by lia.
  unfold piece_of. rewrite !(sum_on_ext n (rounds n q d (exp alpha) n) (rounds n q d (exp alpha) count)) by assumption. reflexivity.
Qed.

(** Two rows of a matrix in integers over c, and e^alpha = a/b. *)
Definition scaled_by (n : nat) (c : Z) (row : list Z) (q : nat -> R) : Prop :=
  List.length row = n /\ distribution n q /\ forall j, IZR (nth j row 0%Z) = IZR c * q j.

Lemma piece_ratio_spec n c a b q d x y listed S : (0 < c)%Z -> (0 < b <= a)%Z -> scaled_by n c q x -> scaled_by n c d y ->
  represents n listed S -> let v := piece_ratio c a b q d listed in
  (0 < snd v)%Z /\ IZR (fst v) / IZR (snd v) = piece_of n x y S (IZR a / IZR b).
Proof.
  intros Hc Hab [Lq [Hx Eq]] [Ld [Hy Ed]] [_ HS] v.
  assert (Hsum : forall row z, List.length row = n -> (forall j, IZR (nth j row 0%Z) = IZR c * z j) ->
    IZR (masked listed row 0) = IZR c * sum_on n S z).
  { intros row z L E. rewrite masked_spec, L, Rplus_0_l. unfold sum_on. rewrite <- sum_scale. apply sum_ext. intros j Hj.
    rewrite HS, E by assumption. destruct (S j); ring. }
  pose proof (Hsum q x Lq Eq) as Sq. pose proof (Hsum d y Ld Ed) as Sd.
  assert (HC : 0 < IZR c) by (apply IZR_lt; lia). assert (HB : 0 < IZR b) by (apply IZR_lt; lia).
  assert (HAB : IZR b <= IZR a) by (apply IZR_le; lia).
  assert (HA : 1 <= IZR a / IZR b).
  { apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (En : IZR (fst v) = IZR c * IZR b * (sum_on n S x * (IZR a / IZR b - 1) + 1)).
  { unfold v, piece_ratio. cbn [fst]. rewrite plus_IZR, !mult_IZR, minus_IZR, Sq. field. lra. }
  assert (Ev : IZR (snd v) = IZR c * IZR b * (sum_on n S y * (IZR a / IZR b - 1) + 1)).
  { unfold v, piece_ratio. cbn [snd]. rewrite plus_IZR, !mult_IZR, minus_IZR, Sd. field. lra. }
  pose proof (piece_denominator n y S (IZR a / IZR b) Hy HA) as Hden.
  assert (Hpos : 0 < IZR (snd v)) by (rewrite Ev; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|lra]).
  split; [apply lt_IZR; assumption|]. rewrite En, Ev. unfold piece_of, piece.
  set (k := IZR c * IZR b) in *. assert (0 < k) by (apply Rmult_lt_0_compat; assumption).
  set (top := sum_on n S x * (IZR a / IZR b - 1) + 1). set (bottom := sum_on n S y * (IZR a / IZR b - 1) + 1) in *.
  field. split; lra.
Qed.

Lemma searched_spec n c a b q d x y fuel listed m : (0 < c)%Z -> (0 < b <= a)%Z -> scaled_by n c q x -> scaled_by n c d y ->
  represents n listed (rounds n x y (IZR a / IZR b) m) ->
  represents n (searched fuel c a b q d listed) (rounds n x y (IZR a / IZR b) (fuel + m)).
Proof.
  intros Hc Hab Hq Hd. revert listed m. induction fuel as [|fuel IH]; intros listed m Hl; [exact Hl|]. cbn [searched].
  set (v := piece_ratio c a b q d listed). set (next := kept v listed q d).
  destruct (piece_ratio_spec n c a b q d x y listed _ Hc Hab Hq Hd Hl) as [Hv Ev]. fold v in Hv, Ev.
  pose proof Hq as [Lq [Hx Eq]]. pose proof Hd as [Ld [Hy Ed]].
  assert (Hnext : represents n next (rounds n x y (IZR a / IZR b) (S m))).
  { destruct Hl as [L Hl]. destruct (kept_spec v listed q d) as [Lk Hk]; [congruence|congruence|]. split; [unfold next; congruence|].
    intros j Hj. unfold next. rewrite Hk, Hl by congruence. cbn [rounds]. unfold round. f_equal.
    assert (HC : 0 < IZR c) by (apply IZR_lt; lia). assert (HV : 0 < IZR (snd v)) by (apply IZR_lt; lia).
    rewrite <- Ev.
    assert (Hiff : (nth j d 0 * fst v < nth j q 0 * snd v)%Z <-> IZR (fst v) / IZR (snd v) * y j < x j).
    { assert (E1 : IZR (nth j d 0%Z * fst v) = IZR c * IZR (snd v) * (IZR (fst v) / IZR (snd v) * y j)) by (rewrite mult_IZR, Ed; field; lra).
      assert (E2 : IZR (nth j q 0%Z * snd v) = IZR c * IZR (snd v) * x j) by (rewrite mult_IZR, Eq; ring).
      assert (HP : 0 < IZR c * IZR (snd v)) by (apply Rmult_lt_0_compat; assumption). split; intros H.
      - apply IZR_lt in H. rewrite E1, E2 in H. apply Rmult_lt_reg_l in H; assumption.
      - apply lt_IZR. rewrite E1, E2. apply Rmult_lt_compat_l; assumption. }
    destruct (Z.ltb_spec (nth j d 0%Z * fst v) (nth j q 0%Z * snd v)) as [H|H], (Rlt_dec (IZR (fst v) / IZR (snd v) * y j) (x j)) as [H'|H'];
      try reflexivity; exfalso; [apply H', Hiff; assumption|apply Hiff in H'; lia]. }
  destruct (same_members next listed) eqn:E.
  - apply same_members_spec in E. rewrite E in Hnext. split; [apply Hl|]. intros j Hj.
    rewrite (proj2 Hl) by assumption. symmetry. replace (S fuel + m)%nat with (S fuel + m)%nat by lia. apply rounds_stay; [|assumption].
    intros i Hi. change (round n x y (IZR a / IZR b) (rounds n x y (IZR a / IZR b) m) i) with (rounds n x y (IZR a / IZR b) (S m) i).
    rewrite <- (proj2 Hnext), <- (proj2 Hl) by assumption. reflexivity.
  - replace (S fuel + m)%nat with (fuel + S m)%nat by lia. apply IH. assumption.
Qed.

Lemma pair_ratio_spec n c a b q d x y : (0 < c)%Z -> (0 < b <= a)%Z -> scaled_by n c q x -> scaled_by n c d y ->
  let v := pair_ratio c a b q d in (0 < snd v)%Z /\ IZR (fst v) / IZR (snd v) = optimum n x y (IZR a / IZR b).
Proof.
  intros Hc Hab Hq Hd v.
  assert (HB : 0 < IZR b) by (apply IZR_lt; lia). assert (HAB : IZR b <= IZR a) by (apply IZR_le; lia).
  assert (HA : 1 <= IZR a / IZR b).
  { apply Rmult_le_reg_r with (IZR b); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (H0 : represents n (above q d) (rounds n x y (IZR a / IZR b) 0)).
  { destruct Hq as [Lq [_ Eq]]. destruct Hd as [Ld [_ Ed]]. destruct (above_spec q d) as [L H]; [congruence|].
    split; [congruence|]. intros j Hj. rewrite H by congruence. cbn [rounds]. unfold candidates.
    assert (HC : 0 < IZR c) by (apply IZR_lt; lia).
    destruct (Z.ltb_spec (nth j d 0%Z) (nth j q 0%Z)) as [K|K], (Rlt_dec (y j) (x j)) as [K'|K']; try reflexivity; exfalso.
    - apply IZR_lt in K. rewrite Eq, Ed in K. apply Rmult_lt_reg_l in K; [contradiction|assumption].
    - apply IZR_le in K. rewrite Eq, Ed in K. apply Rmult_le_reg_l in K; lra. }
  assert (Hs : represents n (searched (List.length q) c a b q d (above q d)) (rounds n x y (IZR a / IZR b) n)).
  { pose proof (searched_spec n c a b q d x y (List.length q) _ 0 Hc Hab Hq Hd H0) as H.
    replace (List.length q + 0)%nat with n in H by (destruct Hq; lia). exact H. }
  destruct (piece_ratio_spec n c a b q d x y _ _ Hc Hab Hq Hd Hs) as [H1 H2]. split; [exact H1|]. unfold v, pair_ratio. rewrite H2.
  rewrite <- (exp_ln (IZR a / IZR b)) by lra. apply rounds_optimum; [apply Hq|apply Hd|].
  rewrite <- ln_1. destruct HA as [HA|<-]; [left; apply ln_increasing; lra|lra].
Qed.

(** ** The loss function *)

Lemma greater_spec l : forall v, (0 < snd v)%Z -> (forall w, In w l -> (0 < snd w)%Z) ->
  let r := fold_left greater l v in (0 < snd r)%Z /\ (r = v \/ In r l) /\
  forall w, w = v \/ In w l -> IZR (fst w) / IZR (snd w) <= IZR (fst r) / IZR (snd r).
Proof.
  induction l as [|x l IH]; intros v Hv Hl; cbn [fold_left].
  - split; [assumption|]. split; [left; reflexivity|]. intros w [->|[]]. lra.
  - assert (Hx : (0 < snd x)%Z) by (apply Hl; left; reflexivity).
    assert (Hg : (greater v x = v \/ greater v x = x) /\ IZR (fst v) / IZR (snd v) <= IZR (fst (greater v x)) / IZR (snd (greater v x))
      /\ IZR (fst x) / IZR (snd x) <= IZR (fst (greater v x)) / IZR (snd (greater v x))).
    { pose proof (IZR_lt _ _ Hv) as HV. pose proof (IZR_lt _ _ Hx) as HX.
      assert (Hcompare : forall p q : Z * Z, 0 < IZR (snd p) -> 0 < IZR (snd q) -> (fst p * snd q <= fst q * snd p)%Z ->
        IZR (fst p) / IZR (snd p) <= IZR (fst q) / IZR (snd q)).
      { intros p q Hp Hq H. apply IZR_le in H. rewrite !mult_IZR in H.
        apply Rmult_le_reg_r with (IZR (snd p) * IZR (snd q)); [apply Rmult_lt_0_compat; assumption|].
        replace (IZR (fst p) / IZR (snd p) * (IZR (snd p) * IZR (snd q))) with (IZR (fst p) * IZR (snd q)) by (field; lra).
        replace (IZR (fst q) / IZR (snd q) * (IZR (snd p) * IZR (snd q))) with (IZR (fst q) * IZR (snd p)) by (field; lra). assumption. }
      unfold greater. destruct (Z.ltb_spec (fst v * snd x) (fst x * snd v)).
      - split; [right; reflexivity|]. split; [apply Hcompare; auto; lia|lra].
      - split; [left; reflexivity|]. split; [lra|apply Hcompare; auto; lia]. }
    destruct Hg as [Hone [Gv Gx]].
    destruct (IH (greater v x)) as [R1 [R2 R3]]; [destruct Hone as [-> | ->]; assumption|intros w Hw; apply Hl; right; assumption|].
    split; [assumption|]. split.
    + destruct R2 as [R2|R2]; [rewrite R2; destruct Hone as [-> | ->]; [left; reflexivity|right; left; reflexivity]|right; right; assumption].
    + intros w Hw. pose proof (R3 (greater v x) (or_introl eq_refl)).
      destruct Hw as [->|[->|Hw]]; [lra|lra|apply R3; right; assumption].
Qed.

(** For every matrix and every rational e^alpha = a/b, at least 1, the program returns e^L. *)
Theorem loss_computed M a b : let n := List.length (given M) in well_formed n M -> (0 < b <= a)%Z ->
  (0 < snd (loss_ratio M a b))%Z /\
  IZR (fst (loss_ratio M a b)) / IZR (snd (loss_ratio M a b)) = gain n (of_matrix (given M)) (IZR a / IZR b).
Proof.
  intros n HM Hab. pose proof HM as [Hc [El Hall]].
  assert (Hrow : forall j, (j < n)%nat -> scaled_by n (common M) (nth j (units M) []) (of_matrix (given M) j)).
  { intros j Hj. destruct (Hall j Hj) as [H1 [H2 H3]]. split; [assumption|]. split; [assumption|]. exact H3. }
  set (pairs := flat_map (fun q => map (pair_ratio (common M) a b q) (units M)) (units M)).
  assert (Hin : forall w, In w pairs <-> exists j k, (j < n)%nat /\ (k < n)%nat /\
    w = pair_ratio (common M) a b (nth j (units M) []) (nth k (units M) [])).
  { intros w. unfold pairs. rewrite in_flat_map. split.
    - intros [q [Hq Hw]]. apply in_map_iff in Hw. destruct Hw as [d [<- Hd]].
      destruct (In_nth _ _ [] Hq) as [j [Hj <-]]. destruct (In_nth _ _ [] Hd) as [k [Hk <-]].
      exists j, k. unfold n. rewrite <- El. auto.
    - intros [j [k [Hj [Hk ->]]]]. exists (nth j (units M) []). unfold n in *. rewrite <- El in *.
      split; [apply nth_In; assumption|]. apply in_map. apply nth_In. assumption. }
  assert (Hpair : forall j k, (j < n)%nat -> (k < n)%nat ->
    let w := pair_ratio (common M) a b (nth j (units M) []) (nth k (units M) []) in
    (0 < snd w)%Z /\ IZR (fst w) / IZR (snd w) = optimum n (of_matrix (given M) j) (of_matrix (given M) k) (IZR a / IZR b)).
  { intros j k Hj Hk. apply pair_ratio_spec; auto. }
  destruct (greater_spec pairs (1, 1)%Z) as [R1 [R2 R3]]; [cbn; lia| |].
  { intros w Hw. apply Hin in Hw. destruct Hw as [j [k [Hj [Hk ->]]]]. apply Hpair; assumption. }
  unfold loss_ratio. fold pairs. set (r := fold_left greater pairs (1, 1)%Z) in *. split; [assumption|].
  assert (Eone : IZR (fst (1, 1)%Z) / IZR (snd (1, 1)%Z) = 1) by (cbn; field).
  apply Rle_antisym.
  - destruct R2 as [E|R2]; [rewrite E, Eone; apply gain_one|]. apply Hin in R2. destruct R2 as [j [k [Hj [Hk ->]]]].
    destruct (Hpair j k Hj Hk) as [_ ->]. apply gain_pair; assumption.
  - apply gain_least; [rewrite <- Eone; apply R3; left; reflexivity|]. intros j k S Hj Hk.
    eapply Rle_trans; [apply optimum_upper|]. destruct (Hpair j k Hj Hk) as [_ <-]. apply R3. right. apply Hin. exists j, k. auto.
Qed.

(** ** Answers *)

Definition quotient (p : Z * Z) : R := IZR (fst p) / IZR (snd p).
(** The fractions are at least 1, and e^v is between them. *)
Definition spans (r : ratios) (v : R) : Prop :=
  (0 < snd (fst r) <= fst (fst r))%Z /\ (0 < snd (snd r) <= fst (snd r))%Z /\ quotient (fst r) <= exp v <= quotient (snd r).

Lemma quotient_one p : (0 < snd p <= fst p)%Z -> 1 <= quotient p.
Proof.
  intros [H1 H2]. apply IZR_lt in H1. apply IZR_le in H2. unfold quotient. apply Rmult_le_reg_r with (IZR (snd p)); [assumption|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma one_quotient p : (0 < snd p)%Z -> 1 <= quotient p -> (snd p <= fst p)%Z.
Proof.
  intros H1 H2. apply le_IZR. apply IZR_lt in H1. unfold quotient in H2.
  apply Rmult_le_compat_r with (r := IZR (snd p)) in H2; [|lra]. unfold Rdiv in H2. rewrite Rmult_assoc, Rinv_l in H2 by lra. lra.
Qed.

Lemma is_exact_spec r : is_exact r = true -> fst r = snd r.
Proof.
  unfold is_exact. destruct r as [[a b] [c d]]. cbn. intros H. apply andb_prop in H. destruct H as [H1 H2].
  apply Z.eqb_eq in H1, H2. congruence.
Qed.

(** A level that is finite is between what was read of it; where it is written as a rational, both are that. *)
Lemma read_finite_sound bits j l r : read_finite bits j = Done (l, r) -> writes_level j l /\
  exists v, of_level l = Some v /\ 0 <= v /\ spans r v /\ (forall y, l = Log y -> fst r = snd r).
Proof.
  unfold read_finite. intros H. apply bind_done in H. destruct H as [[l' e] [He H]]. apply bind_done in H. destruct H as [? [Hf H]].
  injection H as -> <-. unfold within_limit in Hf. destruct (_ && _)%bool eqn:F in Hf; [|discriminate]. clear Hf.
  apply andb_prop in F. destruct F as [F1 F2]. unfold finite_ratio in F1, F2. apply andb_prop in F1, F2.
  destruct F1 as [L1 L2]. destruct F2 as [U1 U2]. apply Z.ltb_lt in L1, U1. apply Z.leb_le in L2, U2.
  pose proof (level_read _ _ _ _ He) as Hw. split; [assumption|].
  destruct (read_level_sound _ _ _ _ He) as [[_ [[_ [_ Under]] [_ [_ Over]]]] Hnon].
  destruct (of_level l) as [v|] eqn:Ev; [|rewrite Over in U1; lia].
  exists v. split; [reflexivity|]. split; [exact Hnon|]. split.
  - unfold spans, quotient. cbn [fst snd]. split; [lia|]. split; [lia|]. apply IZR_lt in L1, U1. split.
    + apply Rmult_le_reg_r with (IZR (snd (low e))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + apply Rmult_le_reg_r with (IZR (snd (high e))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros y ->. unfold read_level in He. apply bind_done in He. destruct He as [l' [_ He]].
    apply bind_done in He. destruct He as [e' [He E]]. injection E as -> ->. unfold enclose in He. cbn [bind] in He.
    apply bind_done in He. destruct He as [? [_ E]]. injection E as <-. reflexivity.
Qed.

Lemma loss_ratios_sound M r v : let n := List.length (given M) in well_formed n M -> spans r v ->
  spans (loss_ratios M r) (loss n (of_matrix (given M)) v) /\ (fst r = snd r -> fst (loss_ratios M r) = snd (loss_ratios M r)).
Proof.
  intros n HM [Hl [Hm Hv]]. pose proof (well_formed_stochastic M HM) as HP. fold n in HP.
  pose proof (quotient_one _ Hl) as L1. pose proof (quotient_one _ Hm) as M1.
  destruct (loss_computed M (fst (fst r)) (snd (fst r)) HM Hl) as [Dl El].
  destruct (loss_computed M (fst (snd r)) (snd (snd r)) HM Hm) as [Dm Em].
  fold n in El, Em. change (IZR (fst (fst r)) / IZR (snd (fst r))) with (quotient (fst r)) in El.
  change (IZR (fst (snd r)) / IZR (snd (snd r))) with (quotient (snd r)) in Em.
  set (least := loss_ratio M (fst (fst r)) (snd (fst r))) in *. set (most := loss_ratio M (fst (snd r)) (snd (snd r))) in *.
  change (quotient least = gain n (of_matrix (given M)) (quotient (fst r))) in El.
  change (quotient most = gain n (of_matrix (given M)) (quotient (snd r))) in Em.
  assert (Hleast : (0 < snd least <= fst least)%Z).
  { split; [assumption|]. apply one_quotient; [assumption|]. rewrite El. apply gain_one. }
  assert (Hmost : (0 < snd most <= fst most)%Z).
  { split; [assumption|]. apply one_quotient; [assumption|]. rewrite Em. apply gain_one. }
  assert (Lv : quotient least <= exp (loss n (of_matrix (given M)) v)) by (rewrite El, exp_loss; apply gain_rises; auto; lra).
  assert (Mv : exp (loss n (of_matrix (given M)) v) <= quotient most) by (rewrite Em, exp_loss; apply gain_rises; auto; lra).
  unfold loss_ratios. fold least most. split.
  - destruct (is_exact r) eqn:E; [|repeat split; cbn [fst snd]; tauto].
    apply is_exact_spec in E. assert (Es : least = most) by (unfold least, most; rewrite E; reflexivity).
    repeat split; cbn [fst snd]; try tauto. rewrite Es. assumption.
  - intros E. destruct r as [p p']. cbn in E. subst p'. unfold is_exact. cbn [fst snd]. rewrite !Z.eqb_refl. reflexivity.
Qed.

(** Of a request: what is answered encloses the loss function of the matrix that the request writes at the level that it writes,
    and is it where e^alpha is written as a rational. *)
Theorem loss_sound bits table level r : answer_loss bits table level = Done r ->
  exists P l x, writes_matrix table P /\ writes_level level l /\ of_level l = Some x /\ 0 <= x /\
  stochastic (List.length P) (of_matrix P) /\ spans r (loss (List.length P) (of_matrix P) x) /\
  (forall y, l = Log y -> fst r = snd r).
Proof.
  unfold answer_loss. intros H. apply bind_done in H. destruct H as [M [HM H]]. apply bind_done in H. destruct H as [[l alpha] [He H]].
  injection H as <-. apply inside_done in HM, He.
  pose proof (matrix_read _ _ HM) as Hwm. destruct (read_matrix_sound _ _ HM) as [Hwf _].
  destruct (read_finite_sound _ _ _ _ He) as [Hwl [x [Ex [Hx [Hs Hexact]]]]].
  destruct (loss_ratios_sound M alpha x Hwf Hs) as [H1 H2].
  exists (given M), l, x. repeat match goal with |- _ /\ _ => split end; auto using well_formed_stochastic.
  intros y Hy. apply H2. eapply Hexact. eassumption.
Qed.

(** The decimals that are printed. *)
Theorem decimals_sound bits r lower upper v : decimals_hold bits r lower upper = true -> spans r v ->
  of_rational lower <= v <= of_rational upper.
Proof.
  unfold decimals_hold. intros H [[L1 L2] [[M1 M2] Hv]].
  destruct (enclose bits (Nats lower)) as [l| |] eqn:El; try discriminate.
  destruct (enclose bits (Nats upper)) as [u| |] eqn:Eu; try discriminate.
  apply andb_prop in H. destruct H as [H1 H2].
  apply enclose_sound in El, Eu. destruct El as [El _]. destruct Eu as [Eu _].
  pose proof (of_ratio_sound (fst r) ltac:(lia) ltac:(lia)) as Rl. pose proof (of_ratio_sound (snd r) ltac:(lia) ltac:(lia)) as Rm.
  pose proof (at_most_sound _ _ _ _ El Rl H1) as A1. pose proof (at_most_sound _ _ _ _ Rm Eu H2) as A2.
  cbn in A1, A2. unfold log_of in A1, A2. destruct (Z.eqb_spec (snd (fst r)) 0); [lia|]. destruct (Z.eqb_spec (snd (snd r)) 0); [lia|].
  cbn in A1, A2. fold (quotient (fst r)) in A1. fold (quotient (snd r)) in A2.
  pose proof (quotient_one (fst r) ltac:(lia)) as Q1. pose proof (quotient_one (snd r) ltac:(lia)) as Q2. split.
  - eapply Rle_trans; [exact A1|]. apply exp_le_inv. rewrite exp_ln by lra. apply Hv.
  - eapply Rle_trans; [|exact A2]. apply exp_le_inv. rewrite exp_ln by lra. apply Hv.
Qed.
