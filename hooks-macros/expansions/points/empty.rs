/// No fields, for this crate only.
OPEN("bakery.open") -> Messages {}
