(** The verified checker on the loss function, whole: by rule (P) a piece that is greatest at both ends of an interval is greatest
    within. *)

From TPL Require Export Pieces CheckLoss.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** A piece: q and d as they are written, in units of 1/common, and between which levels. *)
Record part := { written_sums : rational * rational; unit_sums : Z * Z;
  from : written_level * enclosure; to : written_level * enclosure }.
Definition written_of (p : part) : written_piece := (written_sums p, (fst (from p), fst (to p))).

Definition read_part (M : distributions) (j : json) : result part :=
  let! l := fields ["q"; "d"; "from"; "to"; "rows"; "subset"] j in
  match l with
  | [q; d; start; stop; two; columns] =>
      let! (u, v) := inside "." (read_sums M two columns) in
      let! x := inside ".q" (number q) in
      let! _ := inside ".q" (require (fst x * common M =? u * Zpos (snd x)) "it is not the sum of row q over the columns") in
      let! y := inside ".d" (number d) in
      let! _ := inside ".d" (require (fst y * common M =? v * Zpos (snd y)) "it is not the sum of row d over the columns") in
      let! f := inside ".from" (read_level 0 start) in
      let! t := inside ".to" (read_level 0 stop) in
      let! _ := require (negb (at_most (snd t) (snd f))) "the piece ends before it begins" in
      Done {| written_sums := (x, y); unit_sums := (u, v); from := f; to := t |}
  | _ => Rejected "" "other fields are expected"
  end.

(** q > d, except where L = 0 is one piece. *)
Definition is_piece (only : bool) (p : part) : bool :=
  let (u, v) := unit_sums p in (v <? u) || (only && (u =? 0) && (v =? 0)).

(** The next piece begins where this one ends, at a level above 0; there both are L. *)
Definition continued (M : distributions) (p next : part) : bool :=
  let start := snd (from next) in
  let value := value_at M (unit_sums next) start in
  let ending := value_at M (unit_sums p) start in
  at_most (snd (to p)) start && at_most start (snd (to p)) && (0 <? snd (high start)) && (snd (low start) <? fst (low start))
  && negb ((fst (unit_sums p) =? fst (unit_sums next)) && (snd (unit_sums p) =? snd (unit_sums next)))
  && at_most value ending && at_most ending value && loss_at_most M start value.

(** The last ends at inf, where it is greatest. *)
Fixpoint all_continued (M : distributions) (p : part) (rest : list part) : bool :=
  match rest with
  | [] => match fst (to p) with Infinite => none_exceeds M (fst (unit_sums p)) (snd (unit_sums p)) 0 | _ => false end
  | next :: rest' => continued M p next && all_continued M next rest'
  end.

Definition check_loss_function (l : list json) : result claim :=
  match l with
  | [table; pieces] =>
      let! M := inside "matrix" (read_matrix table) in
      let! parts := inside "pieces" (let! l := some_items most_steps pieces in each (read_part M) l) in
      match parts with
      | [] => Rejected "pieces" "a piece is expected"
      | first :: rest =>
          let! _ := inside "pieces" (require (forallb (is_piece (Nat.eqb (List.length parts) 1)) parts)
            "q = d is for L = 0 alone: one piece with q = d = 0") in
          let! _ := inside "pieces" (require (at_most (snd (from first)) zero && at_most zero (snd (from first)))
            "the first piece does not begin at 0") in
          let! _ := inside "pieces" (require (none_exceeds M 1 1 (fst (unit_sums first) - snd (unit_sums first)))
            "the first piece is not the greatest at 0") in
          let! _ := inside "pieces" (require (all_continued M first rest)
            "a piece does not follow on the one before, is not L where it begins, or the last not at inf") in
          Done (Loss_function (given M) (map written_of parts))
      end
  | _ => Rejected "" "other fields are expected"
  end.

(** ** Soundness *)

Open Scope R_scope.

(** One piece as a function of the level. *)
Lemma piece_gentle q d : 0 <= d <= q -> q <= 1 -> gentle (fun a => ln (piece q d (exp a))).
Proof.
  intros Hd Hq.
  assert (Hone : forall A, 1 <= A -> 1 <= piece q d A).
  { intros A HA. unfold piece. apply Rmult_le_reg_r with (d * (A - 1) + 1); [nra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra. }
  assert (Hexp : forall a, 0 <= a -> exp (ln (piece q d (exp a))) = piece q d (exp a)).
  { intros a Ha. apply exp_ln. specialize (Hone (exp a) (exp_ratio a Ha)). lra. }
  split.
  - rewrite exp_0. unfold piece. replace ((q * (1 - 1) + 1) / (d * (1 - 1) + 1)) with 1 by field. rewrite ln_1. lra.
  - intros a b Hab. assert (HA : 1 <= exp a <= exp b) by (split; [apply exp_ratio; lra|apply exp_le; lra]). split; [split|].
    + apply exp_le_inv. rewrite Hexp, exp_0 by lra. apply Hone. lra.
    + apply exp_le_inv. rewrite !Hexp by lra. unfold piece.
      set (x := exp a) in *. set (y := exp b) in *.
      apply Rmult_le_reg_r with ((d * (x - 1) + 1) * (d * (y - 1) + 1)); [apply Rmult_lt_0_compat; nra|].
      replace ((q * (x - 1) + 1) / (d * (x - 1) + 1) * ((d * (x - 1) + 1) * (d * (y - 1) + 1)))
        with ((q * (x - 1) + 1) * (d * (y - 1) + 1)) by (field; nra).
      replace ((q * (y - 1) + 1) / (d * (y - 1) + 1) * ((d * (x - 1) + 1) * (d * (y - 1) + 1)))
        with ((q * (y - 1) + 1) * (d * (x - 1) + 1)) by (field; nra).
      assert (0 <= (q - d) * (y - x)) by (apply Rmult_le_pos; lra). nra.
    + enough (ln (piece q d (exp b)) <= b + - a + ln (piece q d (exp a))) by lra.
      apply exp_le_inv. rewrite !exp_plus, exp_Ropp, !Hexp by lra. apply piece_slow; lra.
Qed.

(** What is known of a piece that was read. *)
Definition is_part (M : distributions) (p : part) : Prop :=
  let n := List.length (given M) in let P := of_matrix (given M) in
  (exists j k S, (j < n)%nat /\ (k < n)%nat /\
     of_rational (fst (written_sums p)) = sum_on n S (P j) /\ of_rational (snd (written_sums p)) = sum_on n S (P k)) /\
  IZR (fst (unit_sums p)) = IZR (common M) * of_rational (fst (written_sums p)) /\
  IZR (snd (unit_sums p)) = IZR (common M) * of_rational (snd (written_sums p)) /\
  (snd (unit_sums p) <= fst (unit_sums p))%Z /\
  encloses (snd (from p)) (of_level (fst (from p))) /\ nonneg (of_level (fst (from p))) /\
  encloses (snd (to p)) (of_level (fst (to p))).

Lemma read_part_sound M j p : well_formed (List.length (given M)) M -> (0 < List.length (given M))%nat ->
  read_part M j = Done p -> is_part M p.
Proof.
  intros HM Hn H. unfold read_part in H. step H. destruct a as [|? [|? [|? [|? [|? [|? []]]]]]]; try discriminate.
  step H. open_pairs. injection H as <-. clean. sums_of.
  match goal with E : sums M _ _ = Done (?u, ?v) |- _ => rename u into qs, v into ds;
    destruct (sums_sound _ M _ _ _ _ HM Hn E) as [Hqd [i [k [S [Hi [Hk [Eq Ed]]]]]]] end.
  destruct HM as [Hc _]. apply IZR_lt in Hc.
  assert (Hsum : forall (x : rational) (u : Z) s, (fst x * common M =? u * Zpos (snd x))%Z = true -> IZR u = IZR (common M) * s ->
    of_rational x = s).
  { intros x u s F1 F2. apply Z.eqb_eq, (f_equal IZR) in F1. rewrite !mult_IZR, F2 in F1. pose proof (IZR_pos (snd x)) as Hp.
    unfold of_rational. apply Rmult_eq_reg_r with (IZR (common M) * IZR (Zpos (snd x))); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
    replace (IZR (fst x) / IZR (Zpos (snd x)) * (IZR (common M) * IZR (Zpos (snd x)))) with (IZR (fst x) * IZR (common M)) by (field; lra).
    rewrite F1. ring. }
  repeat match goal with E : (_ =? _)%Z = true |- _ => eapply Hsum in E; [|eassumption] end.
  unfold is_part. cbn [written_sums unit_sums from to fst snd] in *.
  repeat match goal with E : of_rational _ = _ |- _ => rewrite E; clear E end.
  split; [exists i, k, S; auto|auto 10].
Qed.

(** A piece (q, d) is the greatest of all where it begins, and where it ends. *)
Definition greatest_at (n : nat) (P : nat -> nat -> R) (q d x : R) : Prop :=
  forall j k S, (j < n)%nat -> (k < n)%nat -> piece_of n (P j) (P k) S (exp x) <= piece q d (exp x).
Definition greatest_from (n : nat) (P : nat -> nat -> R) (q d x : R) : Prop :=
  x = 0 /\ (forall j k S, (j < n)%nat -> (k < n)%nat -> dominates_at_zero q d (sum_on n S (P j)) (sum_on n S (P k))) \/
  0 < x /\ greatest_at n P q d x.
Definition greatest_to (n : nat) (P : nat -> nat -> R) (q d : R) (end_of : option R) : Prop :=
  match end_of with
  | None => forall j k S, (j < n)%nat -> (k < n)%nat -> dominates_at_infinity q d (sum_on n S (P j)) (sum_on n S (P k))
  | Some y => 0 < y /\ greatest_at n P q d y
  end.

Lemma piece_is_loss n P j k S x end_of alpha : stochastic n P -> (j < n)%nat -> (k < n)%nat ->
  greatest_from n P (sum_on n S (P j)) (sum_on n S (P k)) x -> greatest_to n P (sum_on n S (P j)) (sum_on n S (P k)) end_of ->
  0 <= x <= alpha -> match end_of with Some y => alpha <= y | None => True end ->
  loss n P alpha = ln (piece (sum_on n S (P j)) (sum_on n S (P k)) (exp alpha)).
Proof.
  intros HP Hj Hk Hfrom Hto Hx Hy. unfold loss. f_equal.
  assert (Hall : forall i m S', (i < n)%nat -> (m < n)%nat ->
    piece_of n (P i) (P m) S' (exp alpha) <= piece (sum_on n S (P j)) (sum_on n S (P k)) (exp alpha)).
  { intros i m S' Hi Hm. apply (piece_rule _ _ _ _ _ (exp x)).
    - apply (sum_on_bounds n S (P k)); auto.
    - apply (sum_on_bounds n S' (P m)); auto.
    - split; [apply exp_ratio; lra|apply exp_le; lra].
    - destruct Hfrom as [[-> H]|[H0 H]]; [left; split; [apply exp_0|apply H; assumption]|].
      right. split; [apply H; assumption|]. rewrite <- exp_0. apply exp_increasing. assumption.
    - destruct end_of as [y|]; [|right; apply Hto; assumption]. left. exists (exp y). split; [apply exp_le; assumption|].
      destruct Hto as [H0 H]. split; [apply H; assumption|]. rewrite <- exp_0. apply exp_increasing. assumption. }
  apply Rle_antisym; [|apply (gain_upper n P (exp alpha) j k S Hj Hk)].
  apply gain_least; [|assumption]. rewrite <- (piece_of_nobody n (P j) (P k) (exp alpha)). apply Hall; assumption.
Qed.

(** By rule (S) the value of a piece is at most the piece. *)
Lemma value_of_part M p start t : well_formed (List.length (given M)) M -> is_part M p -> encloses start (Some t) -> 0 <= t ->
  let q := of_rational (fst (written_sums p)) in let d := of_rational (snd (written_sums p)) in
  exists y, encloses (value_at M (unit_sums p) start) (Some y) /\ y <= ln (piece q d (exp t)).
Proof.
  intros HM Hp Hs Ht q d. pose proof (well_formed_stochastic M HM) as HP. pose proof (proj1 HM) as Hc. apply IZR_lt in Hc as HC.
  destruct Hp as [[j [k [S [Hj [Hk [Eq Ed]]]]]] [Uq [Ud [Hqd _]]]]. destruct (unit_sums p) as [u v]. cbn [fst snd] in *.
  fold q in Eq, Uq. fold d in Ed, Ud.
  assert (Hd : 0 <= d) by (rewrite Ed; apply sum_on_bounds; auto).
  assert (Hq : q <= 1) by (rewrite Eq; apply sum_on_bounds; auto).
  assert (Hdq : d <= q).
  { apply IZR_le in Hqd. rewrite Uq, Ud in Hqd. apply Rmult_le_reg_l with (IZR (common M)); assumption. }
  assert (Hpos : forall x, 0 <= x -> 0 < piece q d (exp x) /\ 0 < d * (exp x - 1) + 1).
  { intros x Hx. pose proof (exp_ratio x Hx). assert (0 < d * (exp x - 1) + 1) by nra. split; [|assumption].
    unfold piece. apply Rdiv_lt_0_compat; nra. }
  destruct (value_reached (fun a => ln (piece q d (exp a))) M u v (Some t) start (fun y => y = t)) as [w [Hw Hr]]; auto.
  - apply piece_gentle; lra.
  - split; [|assumption]. apply le_IZR. rewrite Ud. apply Rmult_le_pos; lra.
  - intros x Hx. destruct (Hpos x Hx) as [H1 H2]. rewrite exp_ln by assumption. rewrite Uq, Ud. right. unfold piece. field. lra.
  - intros y ->. assumption.
  - intros y Hy. apply Hy. reflexivity.
  - specialize (Hr (ln (piece q d (exp t)))). destruct w as [y|].
    + exists y. split; [assumption|]. apply Hr. intros z [x [-> ->]]. lra.
    + exfalso. apply Hr. intros z [x [-> ->]]. lra.
Qed.

Lemma continued_sound M p next : well_formed (List.length (given M)) M -> is_part M p -> is_part M next ->
  continued M p next = true -> exists t, of_level (fst (to p)) = Some t /\ of_level (fst (from next)) = Some t /\ 0 < t /\
  (forall one, one = p \/ one = next -> greatest_at (List.length (given M)) (of_matrix (given M))
     (of_rational (fst (written_sums one))) (of_rational (snd (written_sums one))) t).
Proof.
  intros HM Hp Hnext H. pose proof (well_formed_stochastic M HM) as HP. unfold continued in H. cbv zeta in H.
  repeat match type of H with _ && _ = true => let K := fresh "K" in apply andb_prop in H; destruct H as [H K] end.
  apply Z.ltb_lt in K3, K4. pose proof Hp as [[j [k [S [Hj [Hk [Eq Ed]]]]]] [_ [_ [_ [_ [_ Hto]]]]]].
  pose proof Hnext as [_ [_ [_ [_ [Hfrom _]]]]]. set (start := snd (from next)) in *.
  assert (Ht : exists t, of_level (fst (from next)) = Some t).
  { destruct (of_level (fst (from next))) as [t|]; [eauto|]. destruct Hfrom as [_ [_ [_ [_ Hinf]]]]. lia. }
  destruct Ht as [t Et]. rewrite Et in Hfrom. exists t.
  pose proof (at_most_sound _ _ _ _ Hto Hfrom H) as H1. pose proof (at_most_sound _ _ _ _ Hfrom Hto K5) as H2.
  assert (Eto : of_level (fst (to p)) = Some t).
  { destruct (of_level (fst (to p))) as [y|]; simpl in H1, H2; [f_equal; lra|contradiction]. }
  pose proof (above_one start t Hfrom K3) as Hpos. split; [assumption|]. split; [assumption|]. split; [assumption|].
  destruct (value_of_part M next start t HM Hnext Hfrom ltac:(lra)) as [y [Hy Ly]].
  destruct (value_of_part M p start t HM Hp Hfrom ltac:(lra)) as [z [Hz Lz]].
  pose proof (at_most_sound _ _ _ _ Hy Hz K1) as Hyz. simpl in Hyz.
  pose proof (loss_at_most_sound M (Some t) (Some y) start _ (fun x => x = t) HM Hfrom Hy ltac:(intros x ->; lra)
    ltac:(intros x ->; lra) K) as Hloss.
  assert (Hl : loss (List.length (given M)) (of_matrix (given M)) t <= y) by (apply Hloss; exists t; auto).
  intros one Hone i m S' Hi Hm. eapply Rle_trans; [apply (gain_upper _ _ _ i m S' Hi Hm)|]. rewrite <- exp_loss.
  assert (Hln : loss (List.length (given M)) (of_matrix (given M)) t <=
    ln (piece (of_rational (fst (written_sums one))) (of_rational (snd (written_sums one))) (exp t))).
  { destruct Hone as [->| ->]; lra. }
  apply exp_le in Hln. rewrite exp_ln in Hln; [assumption|].
  assert (Hpart : is_part M one) by (destruct Hone as [->| ->]; assumption).
  destruct Hpart as [[a [b [S'' [Ha [Hb [-> ->]]]]]] _].
  apply (piece_of_pos (List.length (given M)) (of_matrix (given M) a) (of_matrix (given M) b) S'' (exp t)); auto. apply exp_ratio. lra.
Qed.

(** L is the pieces from s on, which are all levels from there. *)
Definition is_loss_from (M : distributions) (parts : list part) (s : R) : Prop :=
  (forall alpha, s <= alpha -> exists p, In p parts /\ within_piece (written_of p) alpha) /\
  forall p alpha, In p parts -> within_piece (written_of p) alpha ->
  loss (List.length (given M)) (of_matrix (given M)) alpha =
  ln (piece (of_rational (fst (written_sums p))) (of_rational (snd (written_sums p))) (exp alpha)).

Lemma all_continued_sound M : well_formed (List.length (given M)) M -> forall rest p s,
  all_continued M p rest = true -> Forall (is_part M) (p :: rest) -> of_level (fst (from p)) = Some s -> 0 <= s ->
  greatest_from (List.length (given M)) (of_matrix (given M)) (of_rational (fst (written_sums p))) (of_rational (snd (written_sums p))) s ->
  is_loss_from M (p :: rest) s.
Proof.
  intros HM. pose proof (well_formed_stochastic M HM) as HP. set (n := List.length (given M)) in *. set (P := of_matrix (given M)) in *.
  induction rest as [|next rest IH]; intros p s H Hall Es Hs Hfrom; cbn [all_continued] in H.
  - inversion Hall as [|? ? Hp _]; subst. destruct Hp as [[j [k [S [Hj [Hk [Eq Ed]]]]]] [Uq [Ud _]]].
    destruct (fst (to p)) eqn:Eto; try discriminate. split.
    + intros alpha Ha. exists p. split; [left; reflexivity|]. unfold within_piece, written_of. cbn [fst snd]. rewrite Es, Eto. simpl. auto.
    + intros p' alpha [<-|[]] [H1 _]. cbn [written_of fst snd] in H1. rewrite Es in H1. fold n P in Eq, Ed. rewrite Eq, Ed in *.
      apply (piece_is_loss n P j k S s None); auto. intros i m S' Hi Hm. unfold dominates_at_infinity.
      pose proof (none_exceeds_units n M _ _ 0 i m HM Hi Hm H) as Hnone. rewrite Uq, Ud in Hnone. fold P in Hnone.
      pose proof (proj1 HM) as Hc. apply IZR_lt in Hc. set (c := IZR (common M)) in *.
      set (q := sum_on n S (P j)) in *. set (d := sum_on n S (P k)) in *.
      assert (Hsum : sum n (fun x => positive_part (c * d * P i x - c * q * P m x)) <= 0).
      { apply Rmult_le_reg_l with c; [assumption|]. rewrite Rmult_0_r. exact Hnone. }
      pose proof (sum_on_positive_part n S' (fun x => c * d * P i x - c * q * P m x)) as Hpart.
      assert (E : sum_on n S' (fun x => c * d * P i x - c * q * P m x) = c * (d * sum_on n S' (P i) - q * sum_on n S' (P m))).
      { transitivity (sum_on n S' (fun x => c * d * P i x + (- (c * q)) * P m x)).
        - apply sum_ext. intros x _. destruct (S' x); ring.
        - rewrite sum_on_combine. ring. }
      rewrite E in Hpart. assert (d * sum_on n S' (P i) - q * sum_on n S' (P m) <= 0); [|lra].
      apply Rmult_le_reg_l with c; [assumption|]. lra.
  - apply andb_prop in H. destruct H as [H1 H2]. inversion Hall as [|? ? Hp Hrest]; subst. inversion Hrest as [|? ? Hnext _]; subst.
    destruct (continued_sound M p next HM Hp Hnext H1) as [t [Eto [Efrom [Ht Hgreatest]]]]. fold n P in Hgreatest.
    destruct (IH next t H2 Hrest Efrom ltac:(lra)) as [I1 I2].
    { right. split; [assumption|]. apply Hgreatest. right. reflexivity. }
    split.
    + intros alpha Ha. destruct (Rle_dec alpha t) as [Hle|Hgt].
      * exists p. split; [left; reflexivity|]. unfold within_piece, written_of. cbn [fst snd]. rewrite Es, Eto. auto.
      * destruct (I1 alpha ltac:(lra)) as [p' [Hin Hp']]. exists p'. split; [right|]; assumption.
    + intros p' alpha [<-|Hin] Hwithin; [|apply I2; assumption]. destruct Hwithin as [W1 W2]. cbn [written_of fst snd] in W1, W2.
      rewrite Es in W1. rewrite Eto in W2. destruct Hp as [[j [k [S [Hj [Hk [Eq Ed]]]]]] _]. fold n P in Eq, Ed.
      assert (Hg : greatest_at n P (of_rational (fst (written_sums p))) (of_rational (snd (written_sums p))) t) by (apply Hgreatest; auto).
      rewrite Eq, Ed in *. apply (piece_is_loss n P j k S s (Some t)); auto. split; assumption.
Qed.

(** L as a whole: pieces the first of which begins at 0, where it is the greatest. *)
Lemma whole_sound M first rest : well_formed (List.length (given M)) M -> Forall (is_part M) (first :: rest) ->
  at_most (snd (from first)) zero = true -> none_exceeds M 1 1 (fst (unit_sums first) - snd (unit_sums first)) = true ->
  all_continued M first rest = true -> holds (Loss_function (given M) (map written_of (first :: rest))).
Proof.
  intros HM Hall Hle Hnone Hrest. pose proof (well_formed_stochastic _ HM) as HP.
  inversion Hall as [|? ? Hfirst _]; subst. pose proof Hfirst as [[j' [k' [S [Hj [Hk [Eq Ed]]]]]] [Uq [Ud [_ [Hf [Hf0 _]]]]]].
  pose proof (at_most_sound _ _ _ _ Hf zero_sound Hle) as H0.
  assert (Es : of_level (fst (from first)) = Some 0).
  { destruct (of_level (fst (from first))) as [s|]; simpl in H0, Hf0; [f_equal; lra|contradiction]. }
  split; [assumption|].
  destruct (all_continued_sound M HM rest first 0 Hrest Hall Es ltac:(lra)) as [L1 L2].
  { left. split; [reflexivity|]. intros i m S' Hi Hm. unfold dominates_at_zero.
    apply (none_exceeds_units _ M _ _ _ i m HM Hi Hm) in Hnone.
    rewrite minus_IZR, Uq, Ud in Hnone. pose proof (proj1 HM) as Hc. apply IZR_lt in Hc.
    pose proof (sum_on_positive_part (List.length (given M)) S'
      (fun x => 1 * of_matrix (given M) i x - 1 * of_matrix (given M) m x)) as Hpart.
    assert (Esum : sum_on (List.length (given M)) S' (fun x => 1 * of_matrix (given M) i x - 1 * of_matrix (given M) m x) =
      sum_on (List.length (given M)) S' (of_matrix (given M) i) - sum_on (List.length (given M)) S' (of_matrix (given M) m)).
    { transitivity (sum_on (List.length (given M)) S' (fun x => 1 * of_matrix (given M) i x + (- 1) * of_matrix (given M) m x)).
      - apply sum_ext. intros x _. destruct (S' x); ring.
      - rewrite sum_on_combine. ring. }
    rewrite Esum in Hpart. eapply Rle_trans; [exact Hpart|]. apply Rmult_le_reg_l with (IZR (common M)); [assumption|]. lra. }
  intros alpha Ha. split.
  - destruct (L1 alpha Ha) as [p [Hin Hp]]. exists (written_of p). split; [|assumption].
    apply (in_map written_of (first :: rest)). assumption.
  - intros q d ends Hin Hwithin. apply (in_map_iff written_of (first :: rest)) in Hin. destruct Hin as [p [Ep Hin]].
    pose proof (L2 p alpha Hin) as HL. rewrite Ep in HL. specialize (HL Hwithin). unfold written_of in Ep.
    destruct (written_sums p) as [q' d']. injection Ep as -> -> _. exact HL.
Qed.

Lemma check_loss_function_sound l c : check_loss_function l = Done c -> holds c.
Proof.
  unfold check_loss_function. intros H. do 2 (destruct l as [|? l]; [discriminate|]). destruct l; [|discriminate].
  step H. clean.
  match goal with HM' : well_formed (List.length (given a)) a, Hn' : (0 < _)%nat |- _ => rename HM' into HM, Hn' into Hn end.
  match goal with x : list part |- _ => rename x into parts end.
  match goal with E : _ = Done parts |- _ => rename E into Hparts; step Hparts end.
  assert (Hall : Forall (is_part a) parts).
  { revert Hparts. unfold each. generalize 1%nat. clear - HM Hn. revert parts.
    match goal with |- context [each_from _ _ ?l] => induction l as [|x l IH] end; intros parts at_item H; cbn [each_from] in H.
    - injection H as <-. constructor.
    - destruct (read_part a x) as [p| |] eqn:E; simpl in H; try discriminate. step H. injection H as <-. constructor.
      + eapply read_part_sound; eassumption.
      + eapply IH. eassumption. }
  destruct parts as [|first rest]; [discriminate|]. step H. injection H as <-. clean.
  match goal with E : at_most _ zero && _ = true |- _ => apply andb_prop in E; destruct E as [Hle _] end.
  apply whole_sound; assumption.
Qed.
