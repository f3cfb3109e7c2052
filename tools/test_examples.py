import unittest

from examples import without_example

TEXT = """
impl Thing {
    /// Has one.
    ///
    /// ```
    /// Thing::one();
    /// ```
    #[must_use]
    pub fn one() -> u32 {}

    /// Has none.
    pub const fn two() -> u32 {}

    #[doc(hidden)]
    pub fn three() {}

    /// Nobody sees it.
    pub(crate) fn four() {}

    pub async fn five() {}
}

#[cfg(test)]
mod tests {
    pub fn six() {}
}
"""


class Examples(unittest.TestCase):
    def test_methods_without_an_example_are_found(self):
        self.assertEqual([name for name, _ in without_example(TEXT)], ["two", "five"])

    def test_the_line_is_that_of_the_method(self):
        self.assertEqual(dict(without_example(TEXT))["two"], 12)


if __name__ == "__main__":
    unittest.main()
