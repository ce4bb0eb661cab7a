(** Symmetry: where the values fall into cells that the matrices and two rows do not distinguish,
    the sweep is that of the cells, the quotient. Pairs with one quotient have one B at each depth.
    *)

From TPL Require Export Tight.
Open Scope R_scope.

(** ** Definitions *)

(** The values below n fall into m cells, cell a being that of a. *)
Definition cells (n m : nat) (cell : nat -> nat) : Prop := forall a, (a < n)%nat ->
  (cell a < m)%nat.

(** Of a vector, the sum over the values of a cell; and how many values it has. *)
Definition cell_sum (n : nat) (cell : nat -> nat) (A : nat) (x : nat -> R) : R :=
  sum_on n (fun a => Nat.eqb (cell a) A) x.
Definition cell_size (n : nat) (cell : nat -> nat) (A : nat) : R := cell_sum n cell A (fun _ => 1).

(** The sum of P(a, b) over the values a of a cell A is Q(A, B) for every b of a cell B. *)
Definition equitable (n m : nat) (cell : nat -> nat) (P Q : nat -> nat -> R) : Prop :=
  forall A b, (A < m)%nat -> (b < n)%nat -> cell_sum n cell A (fun a => P a b) = Q A (cell b).

(** The sweep of a quotient, of the sizes of its cells and the sums Q. *)
Fixpoint quotient_sweep (m : nat) (size : nat -> R) (Q : nat -> nat -> nat -> R) (eps : nat -> R)
  (t : nat) (c : nat -> R) : R :=
  match t with
  | O => sum m (fun A => size A * Phi (exp (eps 0%nat)) c A)
  | S s => quotient_sweep m size Q eps s (back m (Q s) (Phi (exp (eps (S s))) c))
  end.

(** q and d are the rows P_j and P_k on the cells. *)
Definition rows_on_cells (n : nat) (cell : nat -> nat) (P : nat -> nat -> R) (j k : nat)
  (q d : nat -> R) : Prop :=
  forall a, (a < n)%nat -> P j a = q (cell a) /\ P k a = d (cell a).

(** lambda is B_t of a quotient: the zero of its sweep. *)
Definition greatest_in_quotient (m : nat) (size : nat -> R) (Q : nat -> nat -> nat -> R) (eps :
  nat -> R) (t : nat) (q d : nat -> R) (lambda : R) : Prop :=
  match t with
  | O => lambda = 1
  | S s => quotient_sweep m size Q eps s (fun A => q A - lambda * d A) = 0
  end.

(** ** Sums by cells *)

Lemma sum_by_cells n m cell x : cells n m cell -> sum n x = sum m (fun A => cell_sum n cell A x).
Proof.
  intros H. unfold cell_sum, sum_on. rewrite sum_swap. apply sum_ext. intros a Ha.
  rewrite (sum_ext m _ (fun A => if Nat.eqb A (cell a) then x a else 0)).
  - symmetry. apply (sum_single m (cell a) (fun _ => x a)). auto.
  - intros A _. rewrite Nat.eqb_sym. reflexivity.
Qed.

Lemma cell_sum_constant n cell A x y C : (forall a, (a < n)%nat -> y a = C (cell a)) ->
  cell_sum n cell A (fun a => x a * y a) = cell_sum n cell A x * C A.
Proof.
  intros H. unfold cell_sum, sum_on. rewrite <- sum_scale_r. apply sum_ext. intros a Ha.
  destruct (Nat.eqb_spec (cell a) A) as [<-|]; [rewrite H by assumption; reflexivity|ring].
Qed.

Lemma back_on_cells n m cell P Q c C b : cells n m cell -> equitable n m cell P Q ->
  (forall a, (a < n)%nat -> c a = C (cell a)) -> (b < n)%nat ->
  back n P c b = back m Q C (cell b).
Proof.
  intros Hcell HQ Hc Hb. unfold back. rewrite (sum_by_cells n m cell _ Hcell). apply sum_ext.
  intros A HA. rewrite <- (HQ A b HA Hb).
  apply (cell_sum_constant n cell A (fun a => P a b) c C Hc).
Qed.

(** ** The quotient *)

(** What is constant on cells stays so, and its sweep is that of the quotient. *)
Theorem sweep_of_quotient n m cell B Q eps t c C : cells n m cell ->
  (forall s, (s < t)%nat -> equitable n m cell (B s) (Q s)) ->
  (forall a, (a < n)%nat -> c a = C (cell a)) ->
  sweep n B eps t c = quotient_sweep m (cell_size n cell) Q eps t C.
Proof.
  intros Hcell. revert c C. induction t as [|t IH]; intros c C HQ Hc; simpl.
  - rewrite (sum_by_cells n m cell _ Hcell). apply sum_ext. intros A HA. unfold cell_size.
    rewrite <- (cell_sum_constant n cell A (fun _ => 1) (Phi (exp (eps 0%nat)) c)).
    + unfold cell_sum, sum_on. apply sum_ext. intros a _. rewrite Rmult_1_l. reflexivity.
    + intros a Ha. unfold Phi. rewrite Hc by assumption. reflexivity.
  - apply IH; [auto|]. intros b Hb. apply back_on_cells; auto. intros a Ha. unfold Phi.
    rewrite Hc by assumption. reflexivity.
Qed.

(** B_t(j,k) is that of the quotient. Only the nearest matrix has rows j and k to be constant on
    cells: the others are needed for their sums alone. *)
Theorem greatest_of_quotient n m cell B Q eps t j k q d lambda : cells n m cell ->
  (forall s, (S s < t)%nat -> equitable n m cell (B s) (Q s)) ->
  rows_on_cells n cell (B (t - 1)%nat) j k q d ->
  (greatest_before n B eps t j k lambda <->
   greatest_in_quotient m (cell_size n cell) Q eps t q d lambda).
Proof.
  intros Hcell HQ Hrows. destruct t as [|s]; simpl; [reflexivity|].
  rewrite Nat.sub_succ, Nat.sub_0_r in Hrows.
  rewrite (sweep_of_quotient n m cell B Q eps s _ (fun A => q A - lambda * d A)); auto.
  - reflexivity.
  - intros r Hr. apply HQ. lia.
  - intros a Ha. unfold difference. destruct (Hrows a Ha) as [-> ->]. reflexivity.
Qed.

Lemma quotient_sweep_sizes m size size' Q eps t c : (forall A, (A < m)%nat -> size A = size' A) ->
  quotient_sweep m size Q eps t c = quotient_sweep m size' Q eps t c.
Proof.
  intros H. revert c. induction t as [|t IH]; intros c; simpl; [|apply IH]. apply sum_ext.
  intros A HA. rewrite H by assumption. reflexivity.
Qed.

(** Two pairs, of one chain or of two, with equal quotients have the same B at every depth. Cells
    may be numbered in any order, so quotients that differ by the order of cells are equal. *)
Theorem equal_quotients n n' m cell cell' B B' Q eps t j k j' k' q d lambda :
  cells n m cell -> cells n' m cell' ->
  (forall A, (A < m)%nat -> cell_size n cell A = cell_size n' cell' A) ->
  (forall s, (S s < t)%nat -> equitable n m cell (B s) (Q s)) ->
  (forall s, (S s < t)%nat -> equitable n' m cell' (B' s) (Q s)) ->
  rows_on_cells n cell (B (t - 1)%nat) j k q d ->
  rows_on_cells n' cell' (B' (t - 1)%nat) j' k' q d ->
  (greatest_before n B eps t j k lambda <-> greatest_before n' B' eps t j' k' lambda).
Proof.
  intros Hc Hc' Hsize HQ HQ' Hr Hr'.
  rewrite (greatest_of_quotient n m cell B Q eps t j k q d lambda Hc HQ Hr).
  rewrite (greatest_of_quotient n' m cell' B' Q eps t j' k' q d lambda Hc' HQ' Hr').
  destruct t as [|s]; simpl; [reflexivity|].
  rewrite (quotient_sweep_sizes m _ (cell_size n' cell') Q eps s _ Hsize). reflexivity.
Qed.
