//! Iteration over the answers of a call, one per query.

use std::iter::FusedIterator;
use std::ops::Range;

/// Answers, one per query.
pub trait PerQuery {
    /// The answer to one query.
    type Answer<'a>
    where
        Self: 'a;

    #[doc(hidden)]
    fn answer(&self, i: usize) -> Self::Answer<'_>;
}

/// Goes through the answers of a call in the order of its queries. Made by their `iter`.
#[derive(Debug, Clone)]
pub struct Each<'a, A> {
    answers: &'a A,
    queries: Range<usize>,
}

impl<'a, A: PerQuery> Each<'a, A> {
    pub(crate) fn of(answers: &'a A, queries: usize) -> Self {
        Self { answers, queries: 0..queries }
    }
}

impl<'a, A: PerQuery> Iterator for Each<'a, A> {
    type Item = A::Answer<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.queries.next().map(|i| self.answers.answer(i))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.queries.size_hint()
    }
}

impl<A: PerQuery> DoubleEndedIterator for Each<'_, A> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.queries.next_back().map(|i| self.answers.answer(i))
    }
}

impl<A: PerQuery> ExactSizeIterator for Each<'_, A> {}
impl<A: PerQuery> FusedIterator for Each<'_, A> {}

/// `for answer in &answers`.
macro_rules! iterates {
    ($Answers:ident<$($T:ident),+>) => {
        impl<'a, $($T: Copy),+> IntoIterator for &'a $Answers<$($T),+> {
            type Item = <$Answers<$($T),+> as $crate::each::PerQuery>::Answer<'a>;
            type IntoIter = $crate::each::Each<'a, $Answers<$($T),+>>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}
pub(crate) use iterates;
