(** What certificates claim, in the terms of the other files. The verified checker, Checker.v,
    reads a document into one of these claims, prints it, and accepts it where it has a proof of
    what [holds] says here. *)

From TPL Require Export Supremum Worst Streams Profile.
From Coq Require Export ZArith String List.
Import ListNotations.
Open Scope R_scope.

(** ** What is written *)

(** A number: a numerator and a denominator above 0. *)
Definition rational := (Z * positive)%type.
Definition of_rational (x : rational) : R := IZR (fst x) / IZR (Zpos (snd x)).

(** A level: a number of nats; log(x); log((p + sqrt(n))/c) or, with minus, log((p - sqrt(n))/c);
    inf. *)
Inductive written_level :=
| Nats (x : rational)
| Log (x : rational)
| Log_surd (p : Z) (minus : bool) (n c : Z)
| Infinite.
Definition surd (p : Z) (minus : bool) (n c : Z) : R :=
  (IZR p + (if minus then - sqrt (IZR n) else sqrt (IZR n))) / IZR c.
Definition of_level (l : written_level) : option R :=
  match l with
  | Nats x => Some (of_rational x)
  | Log x => Some (ln (of_rational x))
  | Log_surd p minus n c => Some (ln (surd p minus n c))
  | Infinite => None
  end.

(** The level of a question: it is x, or it is infinite and x is any finite level. *)
Definition stands_for (l : written_level) (x : R) : Prop :=
  0 <= x /\ match of_level l with Some y => x = y | None => True end.

(** The two sides of an answer about the supremum of a set X of reals. For one real x, X is "being
    x"; where a level of the question is infinite, X has what comes of every finite level in its
    place. *)
Definition nothing_above (v : option R) (X : R -> Prop) : Prop :=
  match v with Some y => forall x, X x -> x <= y | None => True end.
Definition reached (v : option R) (X : R -> Prop) : Prop :=
  forall u, (forall x, X x -> x <= u) -> match v with Some y => y <= u | None => False end.
Definition between (bounds : written_level * written_level) (X : R -> Prop) : Prop :=
  reached (of_level (fst bounds)) X /\ nothing_above (of_level (snd bounds)) X.

(** A row, and a matrix as the list of its rows. *)
Definition of_row (row : list rational) : nat -> R := fun j => of_rational (nth j row (0%Z,
  1%positive)).
Definition of_matrix (rows : list (list rational)) : nat -> nat -> R := fun i =>
  of_row (nth i rows nil).

(** A correlation: a matrix for all steps, one for each step, or some that repeat; the matrix of no
    rows is a correlation that is not known, of no values. *)
Inductive correlation :=
| Constant (P : list (list rational))
| Steps (Ps : list (list (list rational)))
| Cycle (Ps : list (list (list rational))).
Definition at_step (k : correlation) (s : nat) : list (list rational) :=
  match k with
  | Constant P => P
  | Steps Ps => nth s Ps nil
  | Cycle Ps => nth (s mod length Ps) Ps nil
  end.
Definition values_in (k : correlation) : nat := length (at_step k 0).

(** q and d of a piece, and between which levels it is L. *)
Definition written_piece := ((rational * rational) * (written_level * written_level))%type.
Definition within_piece (p : written_piece) (alpha : R) : Prop :=
  match of_level (fst (snd p)) with Some x => x <= alpha | None => False end /\
  match of_level (snd (snd p)) with Some y => alpha <= y | None => True end.

(** A chain that is the same at all times: the distribution of its values, its backward and its
    forward matrix. *)
Definition written_chain := (list rational * (list (list rational) * list (list rational)))%type.
Definition no_chain : written_chain := (nil, (nil, nil)).

(** ** Claims *)

Inductive claim :=
| Lfp_optimum (q d : list rational) (alpha : written_level) (value : written_level * written_level)
  (solved : option rational)
| Loss_function (P : list (list rational)) (pieces : list written_piece)
| Loss (P : list (list rational)) (alpha : written_level) (value decimals :
  written_level * written_level)
| Bounded (P : list (list rational)) (epsilon bound decimals : written_level)
| Bounded_below (P : list (list rational)) (epsilon bound decimals : written_level)
| Divergent (P : list (list rational)) (epsilon : written_level)
| Leakage (B F : correlation) (epsilons : list written_level)
    (bpl fpl : list ((written_level * written_level) * (written_level * written_level) *
      (written_level * written_level)))
    (tpl : list (written_level * written_level))
| Tight_upper (B F : correlation) (epsilons : list written_level) (time : option nat)
  (level : written_level)
| Tight_forever (B F : list (list rational)) (epsilon level : written_level)
| Tight_lower (B F : correlation) (epsilons : list written_level) (time j k :
  nat) (level : written_level)
| Tight_divergent (P : list (list rational)) (epsilon : written_level) (sets : list (list bool))
| Mixture_upper (prior : list rational) (chains : list written_chain) (epsilons :
  list written_level) (time : nat) (level : written_level)
| Mixture_lower (prior : list rational) (chains : list written_chain) (epsilons :
  list written_level) (time j k : nat) (level : written_level)
| Profile_upper (P : list (list rational)) (epsilon : written_level) (own : rational) (releases :
  nat) (alpha : written_level) (delta : rational)
| Profile_lower (P : list (list rational)) (epsilon : written_level) (own : rational) (releases j
  k : nat) (alpha : written_level) (delta : rational).

(** The logarithms of the optima of a program. *)
Definition optima (q d : list rational) (X : R -> Prop) : R -> Prop :=
  fun x => exists a v, X a /\ is_optimum (length q) (of_row q) (of_row d) a v /\ x = ln v.

(** The values of the loss function; the levels of the recursion at all times. *)
Definition losses (P : list (list rational)) (X : R -> Prop) : R -> Prop :=
  fun x => exists a, X a /\ x = loss (length P) (of_matrix P) a.
Definition levels (P : list (list rational)) (epsilon : written_level) : R -> Prop :=
  fun x => exists e t, stands_for epsilon e /\ x = level (length P) (of_matrix P) e t.

(** Budgets at the times 0 to T - 1. *)
Definition budgets (epsilons : list written_level) (e : nat -> R) : Prop :=
  forall t, (t < length epsilons)%nat -> stands_for (nth t epsilons Infinite) (e t).

(** BPL and FPL by the recursions at time t, and TPL by Equation (10). A correlation that is not
    known is a matrix of no rows, whose loss function is 0. *)
Definition bpl_by (B : correlation) (e : nat -> R) (t : nat) : R :=
  BPL (values_in B) (fun s => of_matrix (at_step B s)) e t.
Definition fpl_by (F : correlation) (e : nat -> R) (T t : nat) : R :=
  FPL (values_in F) (fun s => of_matrix (at_step F s)) e t (T - 1 - t).
Definition stochastic_steps (k : correlation) (T : nat) : Prop :=
  forall s, (S s < T)%nat -> stochastic (values_in k) (of_matrix (at_step k s)).
Definition over_budgets (epsilons : list written_level) (f : (nat -> R) -> R) : R -> Prop :=
  fun x => exists e, budgets epsilons e /\ x = f e.

(** Of each time the bounds of a loss, of the leakage, and of the leakage in decimals. *)
Definition steps_hold (epsilons : list written_level) (leakage : (nat -> R) -> nat -> R)
  (steps : list ((written_level * written_level) * (written_level * written_level) * (written_level
    * written_level))) : Prop :=
  length steps = length epsilons /\
  forall t loss bounds decimals, nth_error steps t = Some (loss, bounds, decimals) ->
    between loss (over_budgets epsilons (fun e => leakage e t - e t)) /\
    between bounds (over_budgets epsilons (fun e => leakage e t)) /\
    between decimals (over_budgets epsilons (fun e => leakage e t)).

(** A chain on n values with these correlations before and after time t of 0 .. T; of one that is
    not known nothing is assumed. *)
Definition correlated (n : nat) (c : chain) (B F : correlation) (T t : nat) : Prop :=
  valid n c /\
  (values_in B = 0%nat \/ n = values_in B /\ exists B', bayes n c B' /\
     forall s a b, (s < t)%nat -> (a < n)%nat -> (b < n)%nat ->
       B' s a b = of_matrix (at_step B s) a b) /\
  (values_in F = 0%nat \/ n = values_in F /\
     forall s a b, (t <= s < T)%nat -> (a < n)%nat -> (b < n)%nat ->
       forward c s a b = of_matrix (at_step F s) a b).

(** The outputs that count at time t of 0 .. T: with both correlations all, with one those before
    or after and that of t. *)
Definition first_seen (B : correlation) (t : nat) : nat := match values_in B with O => t | _ =>
  0%nat end.
Definition last_seen (F : correlation) (T t : nat) : nat := match values_in F with O => t | _ =>
  T end.

(** No mechanisms with budgets e on such a chain leak more than the level at time t. *)
Definition leaks_no_more (B F : correlation) (e : nat -> R) (T t : nat) (level :
  written_level) : Prop :=
  forall (O : Type) n c (M : nat -> nat -> O -> R) v, correlated n c B F T t -> private n e M ->
    of_level level = Some v ->
  leaks_at_most n c T M t (first_seen B t) (last_seen F T t) v.

(** Some mechanisms, randomized responses to all of which the answer is yes, tell the values j and
    k at time t apart by v or more, if these can occur. *)
Definition tells_apart (B F : correlation) (e : nat -> R) (T t j k : nat) (v : R) :
  Prop :=
  forall n c, correlated n c B F T t -> (j < n)%nat -> (k < n)%nat ->
  0 < probability n c T (value t j) -> 0 < probability n c T (value t k) ->
  exists sets, private n e (randomized_response e sets) /\
  let yes := outputs (randomized_response e sets) (fun _ => true) (first_seen B t) (last_seen F T
    t) in
  exp v * conditional n c T yes (value t k) <= conditional n c T yes (value t j) /\
    0 < conditional n c T yes (value t k).
Definition leaks_as_much (B F : correlation) (e : nat -> R) (T t j k : nat) (level :
  written_level) : Prop :=
  match of_level level with Some v => tells_apart B F e T t j k v | None => False end.

(** However great v is, at some time two of the listed values are told apart by v or more: by what
    was released before, P being the backward correlations; and by what is released after, P being
    the forward ones. *)
Definition member (sets : list (list bool)) (a : nat) : Prop := exists listed, In listed sets /\
  nth a listed false = true.
Definition leaks_without_bound (P : list (list rational)) (x : R) (sets : list (list bool)) :
  Prop :=
  forall v, exists T j k, (j < length P)%nat /\ (k < length P)%nat /\ member sets j /\
    member sets k /\
  tells_apart (Constant P) (Constant nil) (fun _ => x) T T j k v /\
    tells_apart (Constant nil) (Constant P) (fun _ => x) T 0 j k v.

(** Candidates and their probabilities, all above 0: each matrix backward is the reversal of the
    one forward, so that the values have the distribution at all times. *)
Definition size_of (chains : list written_chain) : nat := length (fst (nth 0 chains no_chain)).
Definition proper_mixture (prior : list rational) (chains : list written_chain) : Prop :=
  let n := size_of chains in
  length prior = length chains /\ distribution (length chains) (of_row prior) /\
  forall i, (i < length chains)%nat -> 0 < of_row prior i /\
  let '(p, (B, F)) := nth i chains no_chain in
  length B = n /\ length F = n /\ distribution n (of_row p) /\ stochastic n (of_matrix B) /\
  stochastic n (of_matrix F) /\
  forall a b, (a < n)%nat -> (b < n)%nat -> 0 < of_row p a /\
    of_row p a * of_matrix F a b = of_row p b * of_matrix B b a.

(** Chains that are the candidates, from the start on. *)
Definition are_candidates (chains : list written_chain) (c : nat -> chain) : Prop :=
  let n := size_of chains in
  forall i, (i < length chains)%nat -> valid n (c i) /\
  let '(p, (_, F)) := nth i chains no_chain in
  forall a b, (a < n)%nat -> (b < n)%nat -> initial (c i) a = of_row p a /\
    forall s, forward (c i) s a b = of_matrix F a b.

(** Pr(output | l^t = a) for an adversary who does not know which of the candidates it is. *)
Definition told_of_mixture (prior : list rational) (chains : list written_chain) (c : nat ->
  chain) (T : nat)
  (g : path -> R) (t a : nat) : R :=
  given_mixture (size_of chains) (length chains) (of_row prior) c T g (value t a).

(** The probability g of a set of outputs given the values l^0 .. l^T, where each release is (eps,
    delta)-private for a change of the value at its time alone: of the set, and of its
    complement. *)
Definition approximately_private (n T : nat) (eps delta : R) (g : path -> R) : Prop :=
  forall l s a, in_range n l -> (s <= T)%nat -> (a < n)%nat ->
  0 <= g l <= 1 /\ g (then_at l s a) <= exp eps * g l + delta /\
  1 - g l <= exp eps * (1 - g (then_at l s a)) + delta.

(** Pr(set | l^t = j) - e^alpha Pr(set | l^t = k), where both values can occur. *)
Definition told_at (n : nat) (c : chain) (T t : nat) (g : path -> R) (j k : nat) (alpha : R) : R :=
  given n c T g (value t j) - exp alpha * given n c T g (value t k).
Definition both_possible (n : nat) (c : chain) (T t j k : nat) : Prop :=
  0 < probability n c T (value t j) /\ 0 < probability n c T (value t k).

Definition holds (c : claim) : Prop :=
  match c with
  | Lfp_optimum q d alpha value solved =>
      distribution (length q) (of_row q) /\ distribution (length q) (of_row d) /\
        between value (optima q d (stands_for alpha)) /\
      match solved with
      | Some lambda => forall a, stands_for alpha a -> is_optimum (length q) (of_row q) (of_row d)
        a (of_rational lambda)
      | None => True
      end
  | Loss_function P pieces =>
      stochastic (length P) (of_matrix P) /\ forall alpha, 0 <= alpha ->
      (exists p, In p pieces /\ within_piece p alpha) /\
      forall q d ends, In (q, d, ends) pieces -> within_piece (q, d, ends) alpha ->
      loss (length P) (of_matrix P) alpha = ln (piece (of_rational q) (of_rational d) (exp alpha))
  | Loss P alpha value decimals =>
      stochastic (length P) (of_matrix P) /\
      between value (losses P (stands_for alpha)) /\ between decimals (losses P (stands_for alpha))
  | Bounded P epsilon bound decimals =>
      stochastic (length P) (of_matrix P) /\
      nothing_above (of_level bound) (levels P epsilon) /\ nothing_above (of_level decimals)
        (levels P epsilon)
  | Bounded_below P epsilon bound decimals =>
      stochastic (length P) (of_matrix P) /\
      reached (of_level bound) (levels P epsilon) /\ reached (of_level decimals) (levels P epsilon)
  | Divergent P epsilon =>
      stochastic (length P) (of_matrix P) /\ reached None (levels P epsilon)
  | Leakage B F epsilons bpl fpl tpl =>
      let T := length epsilons in
      stochastic_steps B T /\ stochastic_steps F T /\
      steps_hold epsilons (bpl_by B) bpl /\ steps_hold epsilons (fun e => fpl_by F e T) fpl /\
      length tpl = T /\
      forall t bounds, nth_error tpl t = Some bounds ->
        between bounds (over_budgets epsilons (fun e => bpl_by B e t + fpl_by F e T t - e t))
  | Tight_upper B F epsilons time level =>
      forall e t, budgets epsilons e -> (forall s, 0 <= e s) -> (t < length epsilons)%nat ->
      match time with Some t0 => t = t0 | None => True end -> leaks_no_more B F e (length epsilons
        - 1) t level
  | Tight_forever B F epsilon level =>
      forall x T t, stands_for epsilon x -> (t <= T)%nat ->
      leaks_no_more (Constant B) (Constant F) (fun _ => x) T t level
  | Tight_lower B F epsilons t j k level =>
      (t < length epsilons)%nat /\ j <> k /\
      forall e, budgets epsilons e -> (forall s, 0 <= e s) -> leaks_as_much B F e (length epsilons
        - 1) t j k level
  | Tight_divergent P epsilon sets =>
      stochastic (length P) (of_matrix P) /\ forall x, stands_for epsilon x ->
        leaks_without_bound P x sets
  | Mixture_upper prior chains epsilons t level =>
      (t < length epsilons)%nat /\ proper_mixture prior chains /\
      forall e v, budgets epsilons e -> (forall s, 0 <= e s) -> of_level level = Some v ->
      forall (O : Type) (M : path -> O -> R) c o j k, are_candidates chains c ->
      private_stream (size_of chains) (length epsilons - 1) e M ->
      (j < size_of chains)%nat -> (k < size_of chains)%nat ->
      told_of_mixture prior chains c (length epsilons - 1) (fun l => M l o) t j
        <= exp v * told_of_mixture prior chains c (length epsilons - 1) (fun l => M l o) t k
  | Mixture_lower prior chains epsilons t j k level =>
      (t < length epsilons)%nat /\ proper_mixture prior chains /\ j <> k /\
      (j < size_of chains)%nat /\ (k < size_of chains)%nat /\
      exists v, of_level level = Some v /\
      forall e, budgets epsilons e -> (forall s, 0 <= e s) ->
      exists sets, private (size_of chains) e (randomized_response e sets) /\
      forall c, are_candidates chains c ->
      let yes := fun l => local_stream (length epsilons - 1) (randomized_response e sets) l
        (fun _ => true) in
      exp v * told_of_mixture prior chains c (length epsilons - 1) yes t k
        <= told_of_mixture prior chains c (length epsilons - 1) yes t j /\
      0 < told_of_mixture prior chains c (length epsilons - 1) yes t k
  | Profile_upper P epsilon own releases alpha delta =>
      let T := (releases - 1)%nat in
      (0 < releases)%nat /\ stochastic (length P) (of_matrix P) /\
      forall e a n c g j k, stands_for epsilon e -> stands_for alpha a ->
      approximately_private n T e (of_rational own) g -> (j < n)%nat -> (k < n)%nat -> j <> k ->
      (correlated n c (Constant P) (Constant nil) T T -> both_possible n c T T j k ->
        told_at n c T T g j k a <= of_rational delta) /\
      (correlated n c (Constant nil) (Constant P) T 0 -> both_possible n c T 0 j k ->
        told_at n c T 0 g j k a <= of_rational delta)
  | Profile_lower P epsilon own releases j k alpha delta =>
      let n := length P in
      let T := (releases - 1)%nat in
      (0 < releases)%nat /\ stochastic n (of_matrix P) /\ (j < n)%nat /\ (k < n)%nat /\ j <> k /\
      forall e a, stands_for epsilon e -> stands_for alpha a ->
      (exists g, approximately_private n T e (of_rational own) g /\ forall c,
        correlated n c (Constant P) (Constant nil) T T -> both_possible n c T T j k ->
        of_rational delta <= told_at n c T T g j k a) /\
      (exists g, approximately_private n T e (of_rational own) g /\ forall c,
        correlated n c (Constant nil) (Constant P) T 0 -> both_possible n c T 0 j k ->
        of_rational delta <= told_at n c T 0 g j k a)
  end.
