//! What the pool is told and says: lanes and their policies, orders, actions, events.

use std::fmt;
use std::rc::Rc;

use lipscope_core::experiment::Memory;

use crate::envelope::{Command, Content, RunId};

/// Names a worker among all that were ever started.
pub type WorkerId = u64;

/// The lanes of a pool: runs of one lane do not hold up those of another.
pub trait Lane: Copy + Eq + fmt::Debug + 'static {
    /// All lanes. Those that begin [`Begins::Later`] wait for the first run of the first one.
    const ALL: &'static [Self];

    /// Which of its orders are done.
    fn policy(self) -> Policy;

    /// When its worker starts.
    fn begins(self) -> Begins {
        Begins::WhenNeeded
    }

    /// The lane whose run it lets go first for a moment, where both together would leave the page no core.
    fn comes_after(self) -> Option<Self> {
        None
    }

    /// How many of its runs go on side by side where its policy is [`Policy::Queue`], unless the page says otherwise.
    fn workers(self) -> usize {
        1
    }
}

/// Which orders of a lane are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All of them, in order.
    Queue,
    /// The newest: they take the place of those before, and of all that waits. Each is cut into parts, which several workers
    /// do side by side; what the page hears of them is in order all the same.
    Newest(Preempt),
}

/// When a newer order preempts the run before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preempt {
    /// At once: a part of an old result is of no use. What the parts of an order tell is gathered, a few times a second.
    AtOnce,
    /// After a moment: a run that is nearly over may finish.
    AfterMoment,
    /// After its first event: it comes in one piece, and ended over and over while a slider moves it would never come.
    AfterFirstEvent,
}

/// When the worker of a lane starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With the pool.
    AtOnce,
    /// When the first run of the first lane is over.
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

/// What the workers of a pool may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Whether a worker stands ready beside those that are busy.
    pub spare: Spare,
    /// The processor's cores. At most this many workers do parts of orders, and one more worker stands ready.
    pub cores: usize,
    /// What the parts of a lane that are done side by side may hold together.
    pub memory: Memory,
}

impl PoolOptions {
    /// One core: no order is cut.
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
    /// Comes back with every reply; files of it may travel beside the plan.
    pub companion: C,
}

/// What is to be done outside the pool.
#[derive(Debug)]
pub enum Action<P, C> {
    /// Start a worker.
    Start(WorkerId),
    /// Send a worker a command; where it begins a run, with the order that the run belongs to.
    Send(WorkerId, Command<P>, Option<Rc<Order<P, C>>>),
    /// End a worker.
    End(WorkerId),
    /// Call `Pool::wake` with this timer after this many milliseconds.
    Wake(Timer, f64),
}

/// What the pool waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The first picture has had its head start.
    Warm,
    /// A worker should listen by now.
    Start(WorkerId),
    /// A run has had its chance to finish.
    Coalesced(RunId),
    /// A worker should have turned to this run by now.
    Answer(RunId),
    /// A worker should have said something of this run by now.
    Silence(RunId),
    /// A worker should have ended this run by now.
    Cancelled(WorkerId, RunId),
    /// The page has had its time to draw what it heard of this run.
    Drawn(RunId),
    /// The lane at this place of [`Lane::ALL`] has let another one go first for long enough, the time of this number.
    LetGo(usize, u64),
}

/// What the page hears.
#[derive(Clone, Debug)]
pub enum PoolEvent<L, P, E, C> {
    /// A reply of a run that is still wanted; others never get here.
    Reply {
        /// Its lane.
        lane: L,
        /// The run.
        run_id: RunId,
        /// The order that it answers.
        of: Rc<Order<P, C>>,
        /// The reply.
        content: Content<E>,
        /// Orders of the lane that are still to be done, beside this run where that is over.
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
