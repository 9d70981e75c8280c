-- Which tasks of an array an entry stands for, as its frontend wrote them; '' = the
-- number alone is known.
ALTER TABLE priorityd.job ADD COLUMN array_task_ids text NOT NULL DEFAULT '';
