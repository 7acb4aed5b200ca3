//! The input and output of the pool: lanes and their policies, orders, actions, events.

use std::fmt;
use std::rc::Rc;

use lipscope_core::experiment::Memory;

use crate::envelope::{Command, Content, RunId};

/// Numbers a worker among all workers ever started.
pub type WorkerId = u64;

/// The lanes of a pool: runs of one lane do not hold up those of another.
pub trait Lane: Copy + Eq + fmt::Debug + 'static {
    /// All lanes. Those that begin [`Begins::Later`] wait for the first run of the first one.
    const ALL: &'static [Self];

    /// Which of the lane's orders are done.
    fn policy(self) -> Policy;

    /// When the lane's worker starts.
    fn begins(self) -> Begins {
        Begins::WhenNeeded
    }

    /// The lane that goes first for a moment, where both runs together would leave the page no core.
    fn comes_after(self) -> Option<Self> {
        None
    }

    /// How many runs of the lane go on side by side under [`Policy::Queue`], unless the page sets another number.
    fn workers(self) -> usize {
        1
    }
}

/// Which orders of a lane are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All of them, in order.
    Queue,
    /// Only the newest orders: they replace the earlier ones, and all that wait. Each order is cut into parts, which
    /// several workers do side by side; the page still receives its events in order.
    Newest(Preempt),
}

/// When a newer order preempts the run before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preempt {
    /// At once: a part of an old result is useless. If several workers do the parts of an order, its events reach the
    /// page only a few times a second.
    AtOnce,
    /// After a moment: a run that is nearly over may finish.
    AfterMoment,
    /// After its first event: the result comes in one piece, and would never come if every movement of a slider
    /// preempted the run.
    AfterFirstEvent,
}

/// When the worker of a lane starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With the pool.
    AtOnce,
    /// When the first run of the first lane is over, or its head start has passed.
    Later,
    /// With the first order.
    WhenNeeded,
}

/// Whether a worker stands ready beside those that are busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spare {
    /// One: a worker that has to be ended is replaced at once.
    One,
    /// None: workers are large, or seldom ended.
    None,
}

/// The resources that the workers of a pool may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Whether a worker stands ready beside those that are busy.
    pub spare: Spare,
    /// The processor's cores: the most parts of an order that run side by side.
    pub cores: usize,
    /// The memory that the parts of a lane may hold together, when done side by side.
    pub memory: Memory,
}

impl PoolOptions {
    /// Options for one core: no order is cut.
    #[must_use]
    pub fn one_core(spare: Spare) -> Self {
        PoolOptions { spare, cores: 1, memory: Memory::default() }
    }
}

/// A plan, and what the page keeps beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order<P, C> {
    /// The plan of the work.
    pub plan: P,
    /// The pool returns this with every reply. It may hold files, which then travel beside the plan.
    pub companion: C,
}

/// An action that the page has to carry out.
#[derive(Debug)]
pub enum Action<P, C> {
    /// Start a worker.
    Start(WorkerId),
    /// Send a worker a command. A command that begins a run comes with the order that the run belongs to.
    Send(WorkerId, Command<P>, Option<Rc<Order<P, C>>>),
    /// End a worker.
    End(WorkerId),
    /// Call `Pool::wake` with this timer after this many milliseconds.
    Wake(Timer, f64),
}

/// An event that the pool waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The head start of the first lane is over.
    Warm,
    /// A worker should listen by now.
    Start(WorkerId),
    /// A run has had its time to finish.
    Coalesced(RunId),
    /// A worker should have started this run by now.
    Answer(RunId),
    /// A worker should have sent a message about this run by now.
    Silence(RunId),
    /// A worker should have ended this run by now.
    Cancelled(WorkerId, RunId),
    /// The page has had time to draw the events of this run.
    Drawn(RunId),
    /// The lane at this index of [`Lane::ALL`] has yielded for long enough; the number is that of its yield.
    LetGo(usize, u64),
}

/// What the page receives.
#[derive(Clone, Debug)]
pub enum PoolEvent<L, P, E, C> {
    /// A reply of a run that is still wanted. Replies of other runs are dropped.
    Reply {
        /// Its lane.
        lane: L,
        /// The run.
        run_id: RunId,
        /// The order the run belongs to.
        of: Rc<Order<P, C>>,
        /// The reply.
        content: Content<E>,
        /// Number of orders of the lane that are still to be done. The order of this run counts until it is over.
        left: usize,
    },
    /// A worker died; its run was given to another.
    Restarted(L),
    /// A second worker died over the same run, which is not tried again.
    GaveUp {
        /// Its lane.
        lane: L,
        /// The order that was given up.
        of: Rc<Order<P, C>>,
        /// Orders of the lane that are still to be done.
        left: usize,
    },
    /// No worker can be started.
    CannotStart,
}
